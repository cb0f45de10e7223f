-- Found every night among all files.
create index files_never_adopted on files (created_at) where not adopted;
