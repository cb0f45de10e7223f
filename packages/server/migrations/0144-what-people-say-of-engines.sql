-- A worker layout that people plan takes effect when the engine registers next, and stays until the machine itself asks for
-- another one than it asked for then. A name that people gave stays as well.
alter table engines
  add column planned_workers jsonb,
  add column overruled_workers jsonb,
  add column named_by_hand boolean not null default false;
-- Rented engines are named by whoever rents them, before there is a machine.
update engines set named_by_hand = true where id in (select engine_id from instances);
