-- What the operator does not keep leaves the audit log and the ledger in order: it is checked, closed under a seal, and
-- then deleted. The seal says where the chain goes on; nobody without the master key can make one.

-- One row for each stretch of the log that went.
create table audit_segments (
  to_seq bigint primary key,
  from_seq bigint not null check (from_seq <= to_seq),
  -- The chain before the first row and after the last one.
  previous_hash text not null,
  hash text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  seal_sealed bytea not null,
  closed_at timestamptz not null
);

-- One row per workspace: everything up to `seq` is closed, and came to this.
create table ledger_closings (
  team_id text primary key references billing_accounts (team_id),
  seq bigint not null,
  hash text not null,
  balance bigint not null check (balance >= 0),
  -- [account, owner, amount]: what the closed entries add up to.
  sums jsonb not null,
  seal_sealed bytea not null,
  closed_at timestamptz not null
);

-- The guard stays against mistakes: only a transaction that says it closes may delete. Against intent there is the seal.
create or replace function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('millrace.closes_ledger', true) = 'on' then
    return null;
  end if;
  raise exception 'the ledger is append-only';
end $$;
