-- Money, by double entry. A workspace's account row holds its balance and the end of its own hash chain: the row is the
-- lock that orders what happens to one workspace, so that no two workspaces wait for each other.

create table billing_accounts (
  team_id text primary key references teams (id),
  id text not null unique,
  -- Microcents. Never below zero: what would make it so is refused by this check.
  balance bigint not null default 0 constraint billing_accounts_covered check (balance >= 0),
  status text not null default 'active' check (status in ('active', 'spend_locked', 'manual_hold', 'suspended')),
  seq bigint not null default 0,
  hash text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table transactions (
  id text primary key,
  team_id text not null references billing_accounts (team_id),
  -- Place in the workspace's chain, counted from 1.
  seq bigint not null,
  -- `settlement` moves what was held to those who earned it and leaves the workspace's balance as it is.
  type text not null check (type in ('grant', 'debit', 'refund', 'reversal', 'charge', 'release', 'settlement')),
  -- What the transaction did to the workspace's balance.
  amount bigint not null,
  user_id text not null,
  reference text not null default '',
  reference_id text not null default '',
  reversal_id text not null default '',
  notes text not null default '',
  created_at timestamptz not null,
  previous_hash text not null,
  hash text not null,
  unique (team_id, seq)
);
create index transactions_team on transactions (team_id, created_at desc, id desc);
create index transactions_reference on transactions (reference_id) where reference_id <> '';

create table ledger_entries (
  transaction_id text not null references transactions (id),
  account text not null check (account in ('workspace', 'held', 'platform', 'provider', 'author')),
  -- Whose account: the workspace for `workspace` and `held`, the cloud for `provider`, the app's workspace for `author`.
  owner text not null,
  amount bigint not null check (amount <> 0),
  primary key (transaction_id, account, owner)
);
create index ledger_entries_account on ledger_entries (account, owner);

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger transactions_append_only before update or delete on transactions
  for each statement execute function ledger_refuse_change();
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each statement execute function ledger_refuse_change();

create function ledger_hash(t transactions, entries jsonb) returns text language sql immutable as $$
  select encode(sha256(convert_to(jsonb_build_array(
    t.team_id, t.seq, t.id, extract(epoch from t.created_at)::text, t.type, t.amount, t.user_id, t.reference, t.reference_id,
    t.reversal_id, t.notes, entries, t.previous_hash)::text, 'UTF8')), 'hex')
$$;

-- Writes one transaction with its entries ([account, owner, amount], in that order of accounts and owners). The entries of
-- the workspace itself are what its balance moves by.
create function ledger_post(
  id text, team_id text, type text, user_id text, reference text, reference_id text, reversal_id text, notes text,
  created_at timestamptz, entries jsonb
) returns transactions language plpgsql as $$
declare
  account billing_accounts;
  posted transactions;
  own bigint;
begin
  if (select sum((e ->> 2)::bigint) from jsonb_array_elements(entries) e) <> 0 then
    raise exception 'the entries of a transaction add up to zero';
  end if;
  own := coalesce((select sum((e ->> 2)::bigint) from jsonb_array_elements(entries) e where e ->> 0 = 'workspace'), 0);
  select * into account from billing_accounts b where b.team_id = ledger_post.team_id for update;
  posted := row(id, team_id, account.seq + 1, type, own, user_id, reference, reference_id, reversal_id, notes, created_at,
    account.hash, '');
  posted.hash := ledger_hash(posted, entries);
  update billing_accounts b set balance = balance + own, seq = posted.seq, hash = posted.hash, updated_at = posted.created_at
    where b.team_id = ledger_post.team_id;
  insert into transactions select posted.*;
  insert into ledger_entries
    select posted.id, e ->> 0, e ->> 1, (e ->> 2)::bigint from jsonb_array_elements(entries) e;
  return posted;
end $$;
