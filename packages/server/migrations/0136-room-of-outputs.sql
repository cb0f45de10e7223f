-- A command that floods has the middle of its output dropped while it runs. The room is to be used again at once, not when a fifth
-- of the table is empty and slowly: ten gigabytes that are printed would take as many of the disk meanwhile.
alter table exec_chunks set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_cost_delay = 0);
