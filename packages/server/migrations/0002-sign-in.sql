-- Sign-in: a code of six digits is sealed, since its hash could be searched in a moment; where a session was opened;
-- and the tries at an authenticator code, which no restart may forget.
alter table magic_links rename column code_hash to code_sealed;
create index magic_links_age on magic_links (created_at);

alter table auth_sessions add column city text not null default '';
alter table auth_sessions add column region text not null default '';
create index auth_sessions_parent on auth_sessions (parent_session_id) where parent_session_id is not null;

alter table users add column totp_tries integer not null default 0;
alter table users add column totp_tries_since timestamptz;
