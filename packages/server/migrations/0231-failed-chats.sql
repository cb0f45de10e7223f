-- Why the last run of a chat failed; empty while a run is active and after a run that did not fail.
alter table chats add column last_error text not null default '';
