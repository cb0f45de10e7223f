-- Vectors may come from another model than the one that comes along, with as many components as that has. Only vectors of
-- one model and one length are compared.
alter table search_vectors alter column signs type bit varying using signs::bit varying;
create index search_vectors_model on search_vectors (model);
