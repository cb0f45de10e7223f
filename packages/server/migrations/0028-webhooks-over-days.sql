-- A completion webhook is tried over days, then parked with the reason; somebody may send it again by hand.
alter table webhook_deliveries drop constraint webhook_deliveries_status_check;
alter table webhook_deliveries add constraint webhook_deliveries_status_check
  check (status in ('pending', 'delivered', 'failed', 'parked'));
alter table webhook_deliveries add column parked_reason text not null default '';
alter table webhook_deliveries add column next_attempt_at timestamptz;
-- Attempts of the present round; sending again by hand begins another one.
alter table webhook_deliveries add column round_attempts integer not null default 0;
