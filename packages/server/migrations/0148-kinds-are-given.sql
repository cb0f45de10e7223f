-- Whoever writes a task says its kind. As a generated column the database read the text of its expression anew for every
-- statement that writes or changes a task: 60 to 100 µs each. Servers of the version before leave it out: there it is made here.
alter table tasks alter column queue_kind drop expression;
create function task_queue_kind() returns trigger language plpgsql as $$
begin
  new.queue_kind := new.infra || '|' || new.gpu_count || '|' || new.gpu_type || '|' || new.gpu_vram || '|' || new.ram || '|' ||
    case when new.session_id is null then '' else 's' end || '|' || cardinality(new.workers) || coalesce(new.workers[1], '');
  return new;
end $$;
create trigger tasks_queue_kind before insert on tasks for each row when (new.queue_kind is null)
  execute function task_queue_kind();
