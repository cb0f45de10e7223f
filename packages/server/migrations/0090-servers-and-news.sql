-- Servers that share this database. A row is a lease: who does not renew it in time has lost it, and what it held is
-- freed by the others. All times are the database's own, because the clocks of servers differ.
create table servers (
  id text primary key,
  -- The data folder of the server: its next life frees what this one held.
  place text not null,
  -- Where the other servers reach it.
  address text not null,
  version text not null,
  -- What all servers must agree on: where files lie, where the master key comes from, which bus they speak over.
  keeps_files_apart boolean not null,
  keeps_key_apart boolean not null,
  bus text not null,
  draining boolean not null default false,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- News between servers that is too large for a notification; read by whoever listens, deleted within a minute or two.
-- Lost in a crash, like every other piece of news.
create unlogged table bus_letters (
  id bigint generated always as identity primary key,
  body text not null,
  sent_at timestamptz not null default now()
);

-- Which server holds the socket of an engine, and both ends of a live socket.
alter table engines add column server_id text;
create index engines_by_server on engines (server_id) where connected;
alter table live_sockets add column server_id text;
create index live_sockets_by_server on live_sockets (server_id) where status <> 'closed';
