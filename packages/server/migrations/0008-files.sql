-- Files: a record first, its bytes when they have arrived whole.

create table files (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  category text not null default 'files' check (category in ('files', 'apps', 'outputs', 'artifacts', 'avatars')),
  filename text not null default '',
  content_type text not null default '',
  -- A label given by the creator; two records may carry the same one.
  path text not null default '',
  -- '{team short id}/{24 random characters}.{ext}': the end of the public address. Never changes.
  media_key text not null unique,
  rating text not null default 'unrated',
  -- Bytes stored; before the upload the announced number, 0 when none was announced.
  size bigint not null default 0,
  -- Signed into the upload URL: more bytes than this are refused.
  max_bytes bigint not null,
  upload_expires_at timestamptz not null,
  -- Where the bytes lie. Every upload gets a place of its own and this pointer moves in one statement, so a reader
  -- finds the old bytes or the new ones. Null until the first upload is complete.
  blob_key text unique,
  sha256 text,
  uploaded_at timestamptz,
  -- An engine uploads outputs under its own name; they pass to the task's workspace once, when the task ends.
  adopted boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((blob_key is null) = (uploaded_at is null) and (blob_key is null) = (sha256 is null))
);
create index files_team on files (team_id, created_at desc, id desc);
create index files_public on files (created_at desc, id desc) where visibility = 'public';
create index files_short_id on files (left(id, 8));
create index files_never_uploaded on files (created_at) where uploaded_at is null;

-- Signs upload URLs; one row, made by whichever server starts first.
create table upload_keys (
  id text primary key,
  key_sealed bytea not null
);
