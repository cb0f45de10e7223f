-- What a device requests is stored with its code, so that a person who types the code is shown it too. `offers_presets`:
-- the page offers other choices beside the requested scopes.
alter table device_authorizations
  add column requested_scopes text[] not null default '{}',
  add column requested_team text,
  add column offers_presets boolean not null default true;
