-- A private engine runs the tasks of its owner only, so the kind of a queued task that may use the engines of its
-- workspace names its owner. Servers of the previous version that set no kind get the new one here, too.
create or replace function task_queue_kind() returns trigger language plpgsql as $$
begin
  new.queue_kind := new.infra || '|' || new.gpu_count || '|' || new.gpu_type || '|' || new.gpu_vram || '|' || new.ram || '|' ||
    case when new.session_id is null then '' else 's' end || '|' || cardinality(new.workers) || coalesce(new.workers[1], '')
    || '|' || case when new.infra = 'cloud' then '' else new.user_id end;
  return new;
end $$;
update tasks set queue_kind = queue_kind || '|' || case when infra = 'cloud' then '' else user_id end
  where status in (1, 2) and queue_kind <> 'flow' and deleted_at is null;
