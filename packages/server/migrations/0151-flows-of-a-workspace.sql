-- Flows can have the visibility `team`, like every other resource.
alter table flows drop constraint flows_visibility_check;
alter table flows add constraint flows_visibility_check check (visibility in ('private', 'team', 'unlisted', 'public'));
