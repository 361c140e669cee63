-- A question under a name, of one member; a shared one everybody has.
create table saved_searches (
  id bigint generated always as identity primary key,
  -- By which entries of feeds are named, whatever the installation is called and however often a feed gets a new address.
  uid uuid not null default gen_random_uuid(),
  -- Who deletes the owner becomes the owner of what is shared; what nobody else has goes with the account.
  owner_id bigint not null references users on delete cascade,
  name text not null check (name <> ''),
  -- As the query language prints it, without its sort.
  question text not null,
  sort text,
  is_shared boolean not null default false,
  -- The feed's revision at that time: only what came later is new to whoever has never opened it.
  made_at_revision bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  -- It can be brought back for a day, then the job `search-purge` deletes it.
  deleted_at timestamptz
);
-- All of one member.
create index saved_searches_owner on saved_searches (owner_id);
-- All of the group: few among many.
create index saved_searches_shared on saved_searches (id) where is_shared;
-- Those that the job looks for.
create index saved_searches_deleted on saved_searches (deleted_at) where deleted_at is not null;

-- How one member has a search, their own or a shared one: where it stands, and what of it they have seen.
create table search_views (
  user_id bigint not null references users on delete cascade,
  search_id bigint not null references saved_searches on delete cascade,
  -- Null: behind those that have one.
  position integer,
  is_in_row boolean not null default true,
  -- The feed's revision when it was opened last; null: never.
  opened_at_revision bigint,
  primary key (user_id, search_id)
);
-- Deleting a search.
create index search_views_search on search_views (search_id);

-- Addresses at which other programs read a search as one member.
create table search_feeds (
  id bigint generated always as identity primary key,
  search_id bigint not null references saved_searches on delete cascade,
  user_id bigint not null references users on delete cascade,
  kind text not null check (kind <> ''),
  -- SHA-256 of the address's secret, which is stored nowhere; each request is looked up by it.
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- So many requests were answered in the hour that began then.
  hour_began_at timestamptz not null default '-infinity',
  requests_in_hour integer not null default 0
);
-- Listing and deleting those of a search, and of a member.
create index search_feeds_search on search_feeds (search_id, user_id);
create index search_feeds_user on search_feeds (user_id);
