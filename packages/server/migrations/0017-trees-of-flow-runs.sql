-- A run that is a step of another, directly or further up: the run at the top, and how many nodes it adds to that tree.
-- Summed, not counted in one row: the steps of a tree would wait for each other at that row, in no order that is safe.
alter table flow_runs add column root_run_id text, add column node_count integer;
create index flow_runs_tree on flow_runs (root_run_id) include (node_count) where root_run_id is not null;
