-- What a result shows lies in the memory of each server too, by the same log: it names changes of everything that is shown.
drop trigger search_documents_note_change on search_documents;
create trigger search_documents_note_change after update on search_documents for each row
  when ((old.kind, old.team_id, old.user_id, old.visibility, old.listed, old.words, old.namespace, old.name, old.title,
      old.description, old.tags, old.resource_kind, old.origin, old.content_hash, old.confirmed_at)
    is distinct from (new.kind, new.team_id, new.user_id, new.visibility, new.listed, new.words, new.namespace, new.name, new.title,
      new.description, new.tags, new.resource_kind, new.origin, new.content_hash, new.confirmed_at))
  execute function search_note_change();
