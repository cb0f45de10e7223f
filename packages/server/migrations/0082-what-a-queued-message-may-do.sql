-- A message that waits while an agent is busy may begin a run of its own: that run acts as its sender, with what the
-- sender's credential could do, and not as whoever began the run before it.
alter table chat_messages add column sent_as jsonb;
