-- Words are looked up per kind: a kind with few rows must not be crowded out by one with very many.
create extension if not exists btree_gin;
create index search_documents_kind_words on search_documents using gin (kind, words);
drop index search_documents_words;
