-- A node can end at one of several outputs, fail without failing its run, or wait for a time or an event.
alter table flow_run_nodes
  -- The chosen output of a completed node; null for its only output.
  add column branch text,
  -- The code of a failure.
  add column code text,
  -- A failure that continues at the output `error`.
  add column handled boolean,
  -- The event that a waiting node waits for; `deadline_ms` is the time at which it ends.
  add column waits_for text;
