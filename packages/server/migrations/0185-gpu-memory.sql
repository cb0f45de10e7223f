-- Workers that share a GPU: the cards that a worker shares with others, the memory of its smallest card, and what the app of its
-- task or session needs. An app that declares nothing needs all that the worker offers.
alter table workers
  add column shared_gpus text[] not null default '{}',
  add column card_vram bigint not null default 0,
  add column gpu_need bigint not null default 0;

-- The largest GPU memory per card that the engine measured during the run.
alter table tasks add column gpu_memory_peak bigint;
