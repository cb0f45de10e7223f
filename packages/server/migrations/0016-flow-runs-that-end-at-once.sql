-- A run that ends with its first step needs no rows that could change: its nodes are written down with it.
alter table flow_runs add column nodes json;
