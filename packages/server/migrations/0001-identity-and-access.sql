-- Who exists and what they may do. Ids are 26 characters chosen by the server; times are UTC.

create table organizations (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table teams (
  id text primary key,
  type text not null check (type in ('personal', 'team', 'system', 'org')),
  name text not null,
  username text not null,
  email text not null default '',
  avatar_url text not null default '',
  setup_completed boolean not null default false,
  max_concurrency integer not null default 0,
  status text not null default 'active' check (status in ('active', 'suspended', 'terminated')),
  org_id text references organizations (id),
  -- The platform's own workspace: there is at most one.
  is_platform boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index teams_username on teams (username);
create unique index teams_platform on teams (is_platform) where is_platform;
create index teams_org on teams (org_id) where org_id is not null;

create table users (
  id text primary key,
  -- Null for service accounts.
  email text,
  -- The mailbox that the address reaches once its provider has folded dots and plus tags.
  mailbox text,
  name text not null default '',
  full_name text not null default '',
  avatar_url text not null default '',
  role text not null default 'user' check (role in ('guest', 'user', 'admin', 'system')),
  -- A workspace's service account: the face of its workspace keys.
  service_team_id text references teams (id),
  default_team_id text references teams (id),
  metadata jsonb not null default '{}',
  totp_secret_sealed bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint not null default 0,
  managed_by_org_id text references organizations (id),
  banned_at timestamptz,
  ban_note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index users_email on users (email) where email is not null and deleted_at is null;
create index users_mailbox on users (mailbox) where mailbox is not null;
create unique index users_service_team on users (service_team_id) where service_team_id is not null;

create table team_members (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, user_id)
);
create index team_members_user on team_members (user_id);

create table org_admins (
  org_id text not null references organizations (id),
  user_id text not null references users (id),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index org_admins_user on org_admins (user_id);

create table invites (
  id text primary key,
  team_id text not null references teams (id),
  email text not null,
  mailbox text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'expired', 'revoked')),
  token_hash bytea not null,
  invited_by text not null references users (id),
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index invites_pending on invites (team_id, mailbox) where status = 'pending';
create index invites_mailbox on invites (mailbox) where status = 'pending';
create unique index invites_token on invites (token_hash);

-- Sign-in sessions: browser cookies and session tokens alike; only the hash of the secret is kept.
create table auth_sessions (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique,
  kind text not null check (kind in ('browser', 'token')),
  auth_method text not null,
  -- The workspace chosen at approval; null follows the user's default.
  team_id text references teams (id),
  -- Null: everything its person may do. A list: exactly these.
  scopes text[],
  -- Made by the operator's command for a platform owner, or proved by an authenticator in a browser.
  elevated boolean not null default false,
  csrf_token text not null default '',
  ip text not null default '',
  user_agent text not null default '',
  country_code text not null default '',
  parent_session_id text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index auth_sessions_user on auth_sessions (user_id) where revoked_at is null;
create index auth_sessions_expiry on auth_sessions (expires_at);

create table magic_links (
  id text primary key,
  email text not null,
  token_hash bytea not null unique,
  code_hash bytea not null,
  code_attempts integer not null default 0,
  redirect_to text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  code_expires_at timestamptz not null,
  used_at timestamptz
);
create index magic_links_email on magic_links (email, created_at);

-- A second factor asked for between the first one and the session.
create table otp_challenges (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique,
  auth_method text not null,
  redirect_to text,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

-- OpenID Connect sign-ins under way: state, nonce and PKCE verifier until the issuer sends the browser back.
create table oidc_attempts (
  state text primary key,
  nonce text not null,
  code_verifier text not null,
  redirect_to text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table device_authorizations (
  id text primary key,
  device_code_hash bytea not null unique,
  user_code text not null,
  token_kind text not null check (token_kind in ('session', 'api_key')),
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'expired', 'delivered')),
  code_challenge text,
  -- Six digits shown after approval, for a terminal that cannot poll; hash only.
  claim_code_hash bytea,
  claim_attempts integer not null default 0,
  user_id text references users (id),
  team_id text references teams (id),
  scopes text[],
  lifetime_seconds integer,
  client_name text not null default '',
  ip text not null default '',
  last_polled_at timestamptz,
  interval_seconds integer not null default 3,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  approved_at timestamptz
);
create unique index device_authorizations_user_code on device_authorizations (user_code) where status in ('pending', 'approved');
create index device_authorizations_expiry on device_authorizations (expires_at);

create table api_keys (
  id text primary key,
  team_id text not null references teams (id),
  -- Whom the key acts as: its creator, or the workspace's service account.
  user_id text not null references users (id),
  created_by text not null references users (id),
  name text not null,
  scope text not null check (scope in ('user', 'workspace')),
  -- Empty means every scope a key can hold.
  scopes text[] not null default '{}',
  -- A full-access key made by an owner or admin also holds the engine scopes.
  holds_engine_scopes boolean not null default false,
  token_hash bytea not null unique,
  last_four text not null,
  source text not null default '',
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index api_keys_team on api_keys (team_id, created_at desc, id desc) where deleted_at is null;
create index api_keys_creator on api_keys (created_by) where deleted_at is null;
create index api_keys_expiry on api_keys (expires_at) where expires_at is not null and deleted_at is null;

-- The value a key had before its last rotation, valid until the grace ends.
create table api_key_previous_values (
  token_hash bytea primary key,
  key_id text not null references api_keys (id) on delete cascade,
  expires_at timestamptz not null
);
create index api_key_previous_values_key on api_key_previous_values (key_id);

create table entitlements (
  id text primary key,
  team_id text not null references teams (id),
  resource text not null,
  type text not null check (type in ('limit', 'boolean')),
  enabled boolean not null default true,
  unlimited boolean not null default false,
  "limit" bigint not null default 0,
  source text not null check (source in ('tier', 'addon', 'trial', 'whitelist', 'override')),
  enforcement text not null default 'block' check (enforcement in ('block', 'warn')),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (team_id, resource, source)
);

-- Counters of the current minute. Losing them in a crash only forgives a few requests.
create unlogged table rate_windows (
  team_id text not null,
  name text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (team_id, name)
);

create table ip_blocks (
  id text primary key,
  network cidr not null unique,
  reason text not null default '',
  created_at timestamptz not null default now()
);

-- Answers of POST requests that carried an Idempotency-Key, sealed: they may show a secret once.
create table idempotency_keys (
  owner text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  answer_sealed bytea,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (owner, key)
);
create index idempotency_keys_age on idempotency_keys (started_at);

-- One data key per team, itself sealed by the master key.
create table data_keys (
  id text primary key,
  team_id text not null,
  master_key_id text not null,
  sealed_key bytea not null,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
create unique index data_keys_active on data_keys (team_id) where active;

create table server_state (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- The audit log: append-only, each row chained to the one before by hash. The head row is the lock that orders
-- writers, and the witness that the newest rows are still there.
create table audit_log (
  seq bigint primary key,
  id text not null unique,
  created_at timestamptz not null,
  team_id text not null,
  actor_user_id text not null,
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  meta jsonb not null,
  ip text not null,
  user_agent text not null,
  previous_hash text not null,
  hash text not null
);
create index audit_log_team on audit_log (team_id, created_at desc, id desc);
create table audit_head (
  only_row boolean primary key default true check (only_row),
  seq bigint not null,
  hash text not null
);
insert into audit_head (seq, hash) values (0, '');

create function audit_hash(entry audit_log) returns text language sql immutable as $$
  select encode(sha256(convert_to(jsonb_build_array(
    entry.seq, entry.id, extract(epoch from entry.created_at)::text, entry.team_id, entry.actor_user_id, entry.actor_kind,
    entry.actor_id, entry.action, entry.resource_type, entry.resource_id, entry.meta, entry.ip, entry.user_agent,
    entry.previous_hash)::text, 'UTF8')), 'hex')
$$;

create function audit_append(
  id text, created_at timestamptz, team_id text, actor_user_id text, actor_kind text, actor_id text,
  action text, resource_type text, resource_id text, meta jsonb, ip text, user_agent text
) returns void language plpgsql as $$
declare
  head audit_head;
  entry audit_log;
begin
  select * into head from audit_head for update;
  entry := row(head.seq + 1, id, created_at, team_id, actor_user_id, actor_kind, actor_id, action, resource_type,
    resource_id, meta, ip, user_agent, head.hash, '');
  entry.hash := audit_hash(entry);
  insert into audit_log select entry.*;
  update audit_head set seq = entry.seq, hash = entry.hash;
end $$;
