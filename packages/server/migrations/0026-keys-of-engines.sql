-- A key that was made for an engine acts as that engine only: the first one it registers. Only keys that were made for it by
-- the platform's staff, or by the server for the engine that comes along, register engines that serve every workspace.
alter table api_keys add column engine_id text;
alter table api_keys add column serves_all boolean not null default false;
update api_keys set serves_all = true where source = 'engine:local';
