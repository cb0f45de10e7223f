-- Settings, tools and instructions that the caller of one run sends to its model.
alter table agent_runs add column model_request jsonb;

-- The conversation of a chat as its client knows it. Clients of some protocols send the whole conversation with each
-- request; one with the same digest continues the chat.
create table openai_conversations (
  chat_id text primary key references chats (id) on delete cascade,
  team_id text not null,
  user_id text not null,
  run_id text not null,
  digest text not null
);
create index openai_conversations_digest on openai_conversations (team_id, user_id, digest);
