-- What an engine was told to become, so that whoever holds its socket can say it again when the first word was lost
-- between servers; and the sessions that ended on it lately.
alter table engines add column asked_update jsonb;
create index app_sessions_ended_on on app_sessions (engine_id, ended_at) where ended_at is not null and engine_id is not null;
