-- Which server holds the socket of a remote.
alter table remotes add column server_id text;
create index remotes_by_server on remotes (server_id) where connected;
