-- How many runs its chat had before: of two that began at the same moment it says which was the later one, which random ids
-- do not.
alter table agent_runs add column place integer not null default 0;
update agent_runs r set place = counted.before
from (select id, row_number() over (partition by chat_id order by created_at, id) - 1 as before from agent_runs) counted
where counted.id = r.id;
