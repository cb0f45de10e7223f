-- The search index: one row for everything that can be found. It is written by triggers, in the statement that changes the
-- resource, so there is no change that it could miss. A feature joins by a view `search_source_<kind>` and the triggers
-- that `search_index` puts on the table behind it; `search_refresh` is also what a rebuild calls for every row.

create extension if not exists pg_trgm;

create table search_documents (
  id text primary key,
  -- Which view the row comes from.
  source text not null,
  -- app, skill, knowledge, flow, ...
  kind text not null,
  team_id text not null,
  user_id text not null,
  visibility text not null,
  -- False: a public row that the store has taken off, which only its own workspace still finds.
  listed boolean not null,
  namespace text not null,
  name text not null,
  title text not null,
  description text not null,
  tags text[] not null,
  -- A finer word for what it is: an app's category, a knowledge entry's type.
  resource_kind text not null,
  origin text not null,
  content_hash text not null,
  -- When a fading entry was last confirmed; null for what does not fade.
  confirmed_at timestamptz,
  -- Environment tags: for the meaning, not for the words.
  scope text[] not null,
  -- Name, title and tags, for what is mistyped.
  label text not null,
  words tsvector not null,
  -- What the meaning is taken from, and the digest of it that the vector at hand was made of; null: none yet.
  meaning text not null,
  meaning_hash text not null,
  vector_hash text,
  updated_at timestamptz not null
);
create index search_documents_words on search_documents using gin (words);
create index search_documents_label on search_documents using gin (label gin_trgm_ops);
create index search_documents_ref on search_documents (namespace, name);
create index search_documents_team on search_documents (team_id);
create index search_documents_unembedded on search_documents (updated_at, id)
  where vector_hash is distinct from meaning_hash;

-- Long texts: the words of their beginning, so that no text is too long to be indexed.
create function search_words(name text, title text, description text, tags text[], body text) returns tsvector
language sql immutable parallel safe as $$
  select setweight(to_tsvector('english', replace(name, '-', ' ') || ' ' || title), 'A')
    || setweight(to_tsvector('english', description || ' ' || array_to_string(tags, ' ')), 'B')
    || setweight(to_tsvector('english', left(body, 50000)), 'D')
$$;

create function search_refresh(source_name text, resource_id text) returns void language plpgsql as $$
begin
  execute format($query$
    with fresh as (select * from %I where id = $1),
    gone as (delete from search_documents d where d.id = $1 and not exists (select from fresh))
    insert into search_documents (id, source, kind, team_id, user_id, visibility, listed, namespace, name, title,
      description, tags, resource_kind, origin, content_hash, confirmed_at, scope, label, words, meaning, meaning_hash,
      updated_at)
    select f.id, $2, f.kind, f.team_id, f.user_id, f.visibility, f.listed, f.namespace, f.name, f.title,
      f.description, f.tags, f.resource_kind, f.origin, f.content_hash, f.confirmed_at, f.scope,
      lower(concat_ws(' ', replace(f.name, '-', ' '), nullif(f.title, ''), nullif(array_to_string(f.tags, ' '), ''))),
      search_words(f.name, f.title, f.description, f.tags, f.body), m.meaning, md5(m.meaning), f.updated_at
    from fresh f, lateral (select concat_ws(E'\n', replace(f.name, '-', ' '), nullif(f.title, f.name), f.description,
      nullif(array_to_string(f.tags, ' '), ''), nullif(array_to_string(f.scope, ' '), ''), nullif(left(f.body, 1000), ''))
      as meaning) m
    on conflict (id) do update set source = excluded.source, kind = excluded.kind, team_id = excluded.team_id,
      user_id = excluded.user_id, visibility = excluded.visibility, listed = excluded.listed,
      namespace = excluded.namespace, name = excluded.name, title = excluded.title,
      description = excluded.description, tags = excluded.tags, resource_kind = excluded.resource_kind,
      origin = excluded.origin, content_hash = excluded.content_hash, confirmed_at = excluded.confirmed_at,
      scope = excluded.scope, label = excluded.label, words = excluded.words, meaning = excluded.meaning,
      meaning_hash = excluded.meaning_hash, updated_at = excluded.updated_at
  $query$, 'search_source_' || source_name) using resource_id, source_name;
end $$;

create function search_changed() returns trigger language plpgsql as $$
begin
  perform search_refresh(tg_argv[0], case when tg_op = 'DELETE' then old.id else new.id end);
  return null;
end $$;

-- `columns`: the columns of the table whose change can be seen in the index.
create procedure search_index(source_name text, table_name text, columns text) language plpgsql as $$
begin
  execute format('create trigger search_index_change after insert or delete or update of %s on %I
    for each row execute function search_changed(%L)', columns, table_name, source_name);
end $$;

create view search_source_app as
  select id, 'app'::text as kind, team_id, user_id, visibility, not delisted as listed, namespace, name, title,
    description, tags, category as resource_kind, ''::text as origin, ''::text as content_hash,
    null::timestamptz as confirmed_at, '{}'::text[] as scope, agent_description as body, updated_at
  from apps where deleted_at is null and status <> 'retired';
call search_index('app', 'apps', 'team_id, user_id, visibility, delisted, namespace, name, title, description,
  agent_description, category, tags, status, deleted_at');

create view search_source_flow as
  select id, 'flow'::text as kind, team_id, user_id, visibility, true as listed, namespace, name, title,
    description, '{}'::text[] as tags, ''::text as resource_kind, ''::text as origin, ''::text as content_hash,
    null::timestamptz as confirmed_at, '{}'::text[] as scope, ''::text as body, updated_at
  from flows;
call search_index('flow', 'flows', 'team_id, user_id, visibility, namespace, name, title, description');

create view search_source_knowledge as
  select k.id, case k.type when 'skill' then 'skill' else 'knowledge' end as kind, k.team_id, k.user_id, k.visibility,
    not k.delisted as listed, k.namespace, k.name, k.title, k.description, v.tags, k.type as resource_kind, v.origin,
    k.content_hash, case k.lifecycle when 'decay' then v.last_confirmed_at end as confirmed_at, v.scope,
    coalesce(c.content, '') as body, k.updated_at
  from knowledge k
  join knowledge_versions v on v.id = k.version_id
  left join knowledge_contents c on c.knowledge_id = k.id and c.hash = v.files -> 0 ->> 'hash'
  where k.deleted_at is null;
-- Counters of use are not in the list: they change with reads.
call search_index('knowledge', 'knowledge', 'team_id, user_id, visibility, delisted, namespace, title, description, type,
  lifecycle, version_id, updated_at, deleted_at');

-- What was there before the index was.
select search_refresh('app', id) from apps;
select search_refresh('flow', id) from flows;

-- What a caller was shown, so that what they then used can be told from what they passed over.
create table search_impressions (
  id text primary key,
  -- Null: shown to someone who was not signed in.
  team_id text,
  user_id text,
  query text not null,
  -- [{type, name}] in the order shown.
  results jsonb not null,
  created_at timestamptz not null
);
create index search_impressions_age on search_impressions (created_at);

create table search_conversions (
  impression_id text not null,
  resource_name text not null,
  resource_type text not null,
  created_at timestamptz not null,
  primary key (impression_id, resource_name)
);

-- One row per workspace and session of a coding agent, as it reports at its end.
create table agent_sessions (
  team_id text not null references teams (id),
  session_id text not null,
  user_id text not null references users (id),
  agent text not null,
  messages integer not null,
  user_turns integer not null,
  files_edited integer not null,
  tools text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, session_id)
);
create index agent_sessions_age on agent_sessions (updated_at);
