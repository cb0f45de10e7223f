-- The trace that a run belongs to, as its caller named it: what happens to the run later, on whichever server and after
-- whatever restart, is told as part of it. Empty: the run is a trace of its own.
alter table tasks add column traceparent text not null default '';
alter table flow_runs add column traceparent text not null default '';
