-- Device sign-in: what approval decides about platform power, and the wrong guesses at codes that people type.

-- Set when an approver with platform power names an admin scope: the session that will be minted carries that power.
alter table device_authorizations add column elevated boolean not null default false;

-- A terminal that cannot poll finds its request by the challenge whose verifier it holds.
create index device_authorizations_challenge on device_authorizations (code_challenge) where code_challenge is not null;

-- Wrong guesses of the current window, by what is guessed and by whom; the empty caller is everybody together. Kept
-- through a crash: a limit that a restart forgets is a limit on nothing.
create table guess_windows (
  kind text not null check (kind in ('user_code', 'claim_code')),
  caller text not null,
  window_start timestamptz not null,
  misses integer not null,
  primary key (kind, caller)
);
create index guess_windows_age on guess_windows (window_start);
