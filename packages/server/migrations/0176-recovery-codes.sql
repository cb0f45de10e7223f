-- Hashes of the unused recovery codes of a person's authenticator.
alter table users add column recovery_codes bytea[] not null default '{}';
