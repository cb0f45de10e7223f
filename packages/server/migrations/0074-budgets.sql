-- What everyone along the chain of paid work has spent and has under way, day by day and month by month, and the limits
-- that people set on it. The totals are kept for every subject, so that a limit set in the middle of a month counts from
-- the month's first day.

create table spend_totals (
  team_id text not null references teams (id),
  subject_type text not null check (subject_type in ('workspace', 'api_key', 'agent', 'flow', 'trigger')),
  subject_id text not null,
  period text not null check (period in ('day', 'month')),
  -- YYYY-MM-DD in UTC: the first day of the period.
  starts_on text not null,
  -- Microcents.
  spent bigint not null default 0 check (spent >= 0),
  held bigint not null default 0 check (held >= 0),
  primary key (team_id, subject_type, subject_id, period, starts_on)
);
create index spend_totals_old on spend_totals (starts_on);

create table budgets (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null,
  subject_type text not null check (subject_type in ('workspace', 'api_key', 'agent', 'flow', 'trigger')),
  subject_id text not null,
  period text not null check (period in ('day', 'month')),
  "limit" bigint not null check ("limit" >= 0),
  enforcement text not null check (enforcement in ('block', 'warn')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint budgets_one_each unique (team_id, subject_type, subject_id, period)
);

-- Who along the chain of a run its cost is counted for: [[subject type, subject id]].
alter table run_charges add column subjects jsonb not null default '[]';
-- Whether the price could be worked out before the run.
alter table run_charges add column is_open_ended boolean not null default false;
-- The same for a rented machine.
alter table instances add column subjects jsonb not null default '[]';
