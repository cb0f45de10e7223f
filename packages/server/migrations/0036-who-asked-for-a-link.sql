-- The network that asked for a sign-in mail; empty for a link of the operator.
alter table magic_links add column asker text not null default '';
create index magic_links_asker on magic_links (asker, created_at);
