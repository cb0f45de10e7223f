-- Single sign-on finds an account by the subject that the issuer never reassigns; its address may change or be given to
-- another person. An existing account is linked at its next sign-in.
alter table users add column oidc_issuer text, add column oidc_subject text;
create unique index users_oidc on users (oidc_issuer, oidc_subject) where deleted_at is null and oidc_subject is not null;
