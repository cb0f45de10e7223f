-- Every run changes a worker three times: given, busy, idle. While an index names what changes, each time leaves a dead entry in every
-- index, and dead rows that only a vacuum takes away; meanwhile whoever looks for an idle worker walks all of them. Without such an index, and with
-- room left on the page, PostgreSQL changes the row in place and tidies up as it goes.
drop index workers_idle;
drop index workers_task;
alter table workers set (fillfactor = 50);
