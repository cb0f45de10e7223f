-- An agent says which coding agent thinks for it, and what it was told to ask about or never to do goes with it into another
-- workspace.
update agents a set harness = coalesce((select p.harness_kind from remote_profiles p
  where p.id = a.profile_id and p.remote_id = a.remote_id), 'inference');
update agents a set remote_id = null, profile_id = null, harness = 'inference'
where remote_id is not null and not exists (select from remotes r where r.id = a.remote_id and r.team_id = a.team_id);
update tool_rules r set team_id = a.team_id from agents a
where r.level = 'agent' and r.owner_id = a.id and r.team_id <> a.team_id and r.effect <> 'allow';
