-- Words are found in the memory of each server, beside the vectors and by the same log: it names changes of words too.
drop trigger search_documents_note_move on search_documents;
create trigger search_documents_note_change after update on search_documents for each row
  when ((old.kind, old.team_id, old.user_id, old.visibility, old.listed, old.words)
    is distinct from (new.kind, new.team_id, new.user_id, new.visibility, new.listed, new.words))
  execute function search_note_change();
