-- What documents mean, as vectors of 512 components: their signs, by which they are compared first, and one byte each, by
-- which the nearest are compared exactly. Made in the background; `vector_hash` of the document says of which text.
create table search_vectors (
  id text primary key,
  model text not null,
  signs bit(512) not null,
  components bytea not null
);
