-- Which server makes the request, so that the others know when nobody does any more.
alter table agent_errands add column server_id text;
create index agent_errands_server on agent_errands (server_id) where server_id is not null;
