-- Each payment of a rental, oldest first, with when it was made and whom its budgets were counted for: what is given back
-- goes to the period and the subjects that paid it.
alter table instances add column payments jsonb not null default '[]';
update instances set payments = jsonb_build_array(jsonb_build_object(
  'at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'amount', paid, 'subjects', subjects));
alter table instances drop column subjects;
