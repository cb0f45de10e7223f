-- The words of name, title, description and tags apart: few enough to lie in the row itself, so that hundreds of rows are ranked
-- without fetching their long texts. Where all words of a query find too little, any of them is looked for here first.
-- A row keeps its words beside it up to what a page holds; they were fetched from elsewhere, one by one.
alter table search_documents
  set (toast_tuple_target = 8160),
  alter column words set storage external,
  add column heads tsvector generated always as (ts_filter(words, '{a,b}')) stored;
create index search_documents_kind_heads on search_documents using gin (kind, heads) with (gin_pending_list_limit = 256);
-- What was written last is looked through row by row, by every search: 4 MB of it took longer than everything else.
alter index search_documents_kind_words set (gin_pending_list_limit = 256);
