-- What workspaces and organizations promise: one own workspace per organization, and quick look-ups.
create unique index teams_org_workspace on teams (org_id) where type = 'org' and deleted_at is null;
create index teams_short_id on teams (left(id, 8));
create index invites_short_id on invites (left(id, 8));
create index users_default_team on users (default_team_id);
