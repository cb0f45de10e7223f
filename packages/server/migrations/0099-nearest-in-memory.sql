-- The nearest documents are found in the memory of each server, which follows the rows by this log: every change of what a
-- document means or of who may find it. Numbers of transactions, not times or a sequence: who has seen all changes up to the
-- oldest transaction that was open then has missed none, whichever commits first.
create table search_changes (
  number bigint generated always as identity primary key,
  id text not null,
  transaction bigint not null default (pg_current_xact_id()::text::bigint),
  changed_at timestamptz not null default clock_timestamp()
);
create index search_changes_transaction on search_changes (transaction);
create index search_changes_age on search_changes (changed_at);

create function search_note_change() returns trigger language plpgsql as $$
begin
  insert into search_changes (id) values (case when tg_op = 'DELETE' then old.id else new.id end);
  return null;
end $$;

create trigger search_documents_note after insert or delete on search_documents
  for each row execute function search_note_change();
create trigger search_documents_note_move after update on search_documents for each row
  when ((old.kind, old.team_id, old.user_id, old.visibility, old.listed)
    is distinct from (new.kind, new.team_id, new.user_id, new.visibility, new.listed))
  execute function search_note_change();
create trigger search_vectors_note after insert or update or delete on search_vectors
  for each row execute function search_note_change();

-- Signs follow from the components; the database compares neither any more.
drop index search_documents_reach;
drop statistics search_vectors_lengths;
drop index search_vectors_model;
alter table search_vectors drop column signs;
create index search_vectors_model on search_vectors (model, id);
