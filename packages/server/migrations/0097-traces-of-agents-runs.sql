-- What a run of an agent does belongs to the trace that it was started in.
alter table agent_runs add column traceparent text not null default '';
