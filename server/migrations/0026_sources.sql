-- What deals are read from by itself. `settings` are the kind's own, `secrets` a sealed text; `position` is where the kind goes on.
create table sources (
  id bigint generated always as identity primary key,
  kind text not null,
  name text not null,
  settings jsonb not null,
  secrets text,
  -- The names of the secrets that are there.
  secret_names text[] not null default '{}',
  interval_from integer not null,
  interval_to integer not null,
  keeps_history boolean not null,
  -- What may be said of its deals outside of the site: price, picture, title.
  may_leave text[] not null,
  is_paused boolean not null,
  trusted_rules text[] not null default '{}',
  state text not null default 'new',
  state_text text not null default '',
  failures integer not null default 0,
  failing_since timestamptz,
  position jsonb,
  -- What a document is compared with before it is let in: how many items the last good ones had.
  baseline jsonb,
  -- How often something new came lately, and how much a day.
  rhythm jsonb,
  -- Null: never, as it is paused.
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_success_at timestamptz,
  last_new_at timestamptz,
  -- The run under way, and when its process was last heard of: silent for long, it is another's.
  running_id bigint,
  running_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- Names are told apart as people read them.
create unique index sources_name on sources (lower(name));
-- What is due.
create index sources_due on sources (next_run_at) where not is_paused;

create table source_runs (
  id bigint generated always as identity primary key,
  source_id bigint not null references sources on delete cascade,
  state text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  received integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  rejected integer not null default 0,
  held integer not null default 0,
  refused_before integer not null default 0,
  ended integer not null default 0,
  text text,
  notes text[] not null default '{}',
  cost text,
  import_ids bigint[] not null default '{}'
);
-- The history of one source, the newest first.
create index source_runs_of_source on source_runs (source_id, id desc);

-- What a source lists that lists all it has, or whose service says for how long its deals may be shown.
create table source_deals (
  -- Of a source that was removed, too, for as long as its service says when its deals are to be hidden.
  source_id bigint not null,
  asin text not null,
  listed_at timestamptz not null,
  -- Polls in a row that have left it out.
  missed smallint not null default 0,
  -- When the deal is to be hidden unless it is seen again, by the terms of the service; null: never.
  hide_at timestamptz,
  primary key (source_id, asin)
);
-- What is to be hidden.
create index source_deals_hide on source_deals (hide_at) where hide_at is not null;
-- Whether another source lists a deal.
create index source_deals_asin on source_deals (asin);

-- Rows that wait for a person, and those that were refused: the same again is left out without asking. `deal` is the row as read.
create table quarantine (
  id bigint generated always as identity primary key,
  source_id bigint not null references sources on delete cascade,
  run_id bigint,
  asin text not null,
  rule text not null,
  reason text not null,
  old jsonb,
  new jsonb not null,
  deal jsonb not null,
  state text not null default 'held',
  held_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  decided_at timestamptz
);
-- A deal waits once for each source.
create unique index quarantine_waiting on quarantine (source_id, asin) where state = 'held';
-- What was refused of a deal before.
create index quarantine_refused on quarantine (source_id, asin) where state = 'refused';
-- What is to be tidied: releases that were broken off, and what is old.
create index quarantine_decided on quarantine (state, decided_at) where state <> 'held';
create index quarantine_seen on quarantine (seen_at) where state = 'held';

-- When a host may next be asked, by whichever process, and until when somebody is asking it.
create table request_hosts (
  host text primary key,
  next_at timestamptz not null,
  busy_until timestamptz not null
);

-- What may be spent with a key of a service, shared by all processes; the key by a hash.
create table service_budgets (
  key_hash bytea primary key,
  tokens real not null,
  refill_per_minute real not null,
  as_of timestamptz not null,
  -- Costs of requests under way, which no answer counts yet.
  reserved real not null default 0,
  reserved_until timestamptz
);

-- Tokens that services have lent for a while, sealed, so that processes ask for one and not for four.
create table service_tokens (
  key_hash bytea primary key,
  token text not null,
  expires_at timestamptz not null
);
