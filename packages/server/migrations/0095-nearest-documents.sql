-- The nearest documents are looked for among all that the caller may find. Who may find what is in this index alone, without
-- the long texts beside it, and the planner knows how many vectors have a length.
create index search_documents_reach on search_documents (kind, id) include (team_id, user_id, visibility, listed);
create statistics search_vectors_lengths on (length(signs)) from search_vectors;
analyze search_vectors;
