-- Programs of others that ask people to sign in: they register themselves, a person consents, a code becomes a key.

create table oauth_clients (
  id text primary key,
  name text not null,
  client_uri text not null default '',
  redirect_uris text[] not null,
  -- Who registered it, to bound how many one address makes.
  ip text not null default '',
  created_at timestamptz not null,
  -- When somebody last consented; null: never.
  used_at timestamptz
);
create index oauth_clients_ip on oauth_clients (ip, created_at);
create index oauth_clients_age on oauth_clients (coalesce(used_at, created_at));

create table oauth_codes (
  code_hash bytea primary key,
  client_id text not null references oauth_clients (id) on delete cascade,
  user_id text not null references users (id),
  team_id text not null references teams (id),
  scopes text[] not null,
  redirect_uri text not null,
  code_challenge text not null,
  lifetime_seconds integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Exchanged. A second exchange takes back what the first one gave.
  used_at timestamptz
);
create index oauth_codes_expiry on oauth_codes (expires_at);
