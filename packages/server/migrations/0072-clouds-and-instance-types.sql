-- Where machines can be rented, what they offer, and what that cost day by day.

create table clouds (
  key text primary key,
  kind text not null check (kind in ('http', 'local')),
  name text not null,
  logo_url text not null default '',
  -- Address of the broker; empty for the machine of the server itself.
  url text not null default '',
  token_sealed bytea,
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table instance_types (
  cloud_key text not null references clouds (key) on delete cascade,
  catalog_instance_type text not null,
  -- Place in the cloud's own list.
  position integer not null,
  cloud_instance_type text not null,
  deployment_type text not null check (deployment_type in ('vm', 'container', 'baremetal')),
  configuration jsonb not null,
  -- [{region, rental_type, available, hourly_price}]
  availability jsonb not null,
  boot_time jsonb,
  primary key (cloud_key, catalog_instance_type)
);

-- One row for each day on which the offers of a kind of machine changed: the state it was left in. Null: none is offered.
create table instance_prices (
  gpu_type text not null,
  num_gpus integer not null,
  -- YYYY-MM-DD in UTC.
  day text not null,
  point jsonb,
  primary key (gpu_type, num_gpus, day)
);
