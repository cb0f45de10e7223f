-- Whether a drain or restart was begun by the engine itself: only that does the engine end again by saying so.
alter table engines add column own_drain boolean not null default false;
