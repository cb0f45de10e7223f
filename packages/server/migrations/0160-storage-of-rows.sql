-- Rows count for storage_mb, and the default plan limits it. A workspace that already uses half of the new limit, and an
-- installation whose operator has set a limit, keep what they have.
insert into entitlements (id, team_id, resource, type, enabled, unlimited, "limit", source, enforcement)
select '5t0rage' || substr(team_id, 8), team_id, 'storage_mb', 'limit', true, true, 0, 'whitelist', 'block'
from files
group by team_id
having sum(size) > 10e9
on conflict do nothing;

update plans
set limits = jsonb_set(limits, '{storage_mb}',
  '{"type": "limit", "enabled": true, "unlimited": false, "limit": 20000, "enforcement": "block"}')
where is_default and (limits -> 'storage_mb' ->> 'unlimited')::boolean;
