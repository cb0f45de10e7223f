-- Chats that a coding agent on somebody's machine drives, and the session that the machine holds for each of them.

alter table chats add column remote_id text;
alter table chats add column profile_id text;
alter table agent_runs add column remote_id text;
alter table agent_runs add column profile_id text;

create table harness_sessions (
  chat_id text primary key,
  team_id text not null,
  remote_id text not null references remotes (id),
  profile_id text not null references remote_profiles (id),
  harness text not null,
  -- opening: the machine was asked to, or will be · open · closing: the chat is gone · closed: opened again by the next
  -- message.
  status text not null default 'opening' check (status in ('opening', 'open', 'closing', 'closed')),
  -- How often it was opened.
  attempt integer not null default 1,
  work_dir text not null default '',
  -- The agent's own name for a session that is to be gone on with; empty begins a new one.
  resume_session_id text not null default '',
  -- Events up to this one are in the chat.
  last_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index harness_sessions_remote on harness_sessions (remote_id) where status <> 'closed';
create index harness_sessions_profile on harness_sessions (profile_id) where status in ('opening', 'open');
create index harness_sessions_opening on harness_sessions (updated_at) where status = 'opening';
