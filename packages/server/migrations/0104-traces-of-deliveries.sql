-- The trace that the sender of a webhook names, for the run that the delivery starts.
alter table trigger_fires add column traceparent text not null default '';
