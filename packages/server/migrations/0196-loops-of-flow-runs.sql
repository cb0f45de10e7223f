-- The repetition of a repeated node; `output` holds what a running one received from the previous repetition.
alter table flow_run_nodes add column turn integer;

-- The index of an item of a loop. The results of a loop are those of its tasks.
alter table tasks add column flow_item integer;

-- One row per loop that was started: how far it is.
create table flow_run_loops (
  run_id text not null,
  node_id text not null,
  total integer not null,
  -- The first item that was not started yet.
  next_item integer not null,
  open integer not null,
  done integer not null,
  failed integer not null,
  -- The inputs that all items share; null once the loop has ended.
  input json,
  primary key (run_id, node_id)
);

-- Items that were not started yet, in chunks, so that a step reads few of them.
create table flow_run_loop_chunks (
  run_id text not null,
  node_id text not null,
  first_item integer not null,
  items json not null,
  primary key (run_id, node_id, first_item)
);

-- Items that are open, and failed items whose failure belongs to the result. Deleted when the loop ends.
create table flow_run_items (
  run_id text not null,
  node_id text not null,
  item integer not null,
  status text not null check (status in ('running', 'ready', 'failed')),
  attempt integer not null,
  task_id text,
  value json,
  deadline_ms double precision,
  retry_at_ms double precision,
  error text,
  code text,
  primary key (run_id, node_id, item)
);
