-- Before the model is first asked, the tools of servers that were never asked for theirs are learned: an errand like the
-- requests of tools, so that no transaction waits for somebody else's machine.
alter table agent_errands drop constraint agent_errands_kind_check;
alter table agent_errands add constraint agent_errands_kind_check check (kind in ('tool', 'hook', 'learn'));
