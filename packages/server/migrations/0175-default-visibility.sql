-- The visibility that new apps, flows, agents, knowledge entries, artifacts and projects of a workspace get.
alter table teams add column default_visibility text not null default 'private'
  check (default_visibility in ('private', 'team'));
