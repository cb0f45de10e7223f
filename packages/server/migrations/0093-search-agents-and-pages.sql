-- Agents and pages join the search index.

create view search_source_agent as
  select a.id, 'agent'::text as kind, a.team_id, a.user_id, a.visibility, true as listed, a.namespace, a.name, a.title,
    coalesce(v.description, '') as description, '{}'::text[] as tags, 'agent'::text as resource_kind, ''::text as origin,
    ''::text as content_hash, null::timestamptz as confirmed_at, '{}'::text[] as scope,
    concat_ws(E'\n', v.config ->> 'example_prompts', v.config ->> 'system_prompt') as body, a.updated_at
  from agents a
  left join agent_versions v on v.id = a.version_id
  where a.deleted_at is null;
call search_index('agent', 'agents', 'team_id, user_id, visibility, namespace, name, title, version_id, deleted_at');

-- What this server has to read, such as its guides: of no workspace, for everyone while it is published.
create table pages (
  id text primary key,
  -- The place below the address of the server: /namespace/name.
  namespace text not null,
  name text not null,
  title text not null,
  description text not null,
  body text not null,
  published boolean not null,
  updated_at timestamptz not null
);
create unique index pages_ref on pages (namespace, name);

create view search_source_page as
  select id, 'page'::text as kind, ''::text as team_id, ''::text as user_id, 'public'::text as visibility, true as listed,
    namespace, name, title, description, '{}'::text[] as tags, ''::text as resource_kind, ''::text as origin,
    ''::text as content_hash, null::timestamptz as confirmed_at, '{}'::text[] as scope, body, updated_at
  from pages where published;
call search_index('page', 'pages', 'namespace, name, title, description, body, published');

select search_refresh('agent', id) from agents;
