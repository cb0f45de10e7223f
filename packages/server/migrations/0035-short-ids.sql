-- Rows that are looked up by the first eight characters of their id.
create index tasks_short_id on tasks (left(id, 8));
create index engines_short_id on engines (left(id, 8));
create index app_sessions_short_id on app_sessions (left(id, 8));
create index live_sockets_short_id on live_sockets (left(id, 8));
create index api_keys_short_id on api_keys (left(id, 8));
