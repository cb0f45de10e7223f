-- A key that a program was given says which program has it, and a code which key it became.
alter table oauth_codes add column key_id text;

update oauth_codes c set key_id = k.id from api_keys k
where c.used_at is not null
  and k.source = 'oauth-app:' || left(rtrim(translate(encode(c.code_hash, 'base64'), '+/', '-_'), '='), 22);

update api_keys k set source = 'oauth:' || coalesce(
  (select c.client_id from oauth_codes c where c.key_id = k.id limit 1), substr(k.source, length('oauth-app:') + 1))
where k.source like 'oauth-app:%';
