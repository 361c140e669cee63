create extension if not exists pg_trgm;

create table deals (
  id bigint generated always as identity primary key,
  asin text collate "C" not null unique check (asin ~ '^[A-Z0-9]{10}$'),
  title text not null check (title <> ''),
  -- The title as search and blacklist compare it. The server folds it (one definition of
  -- 'case-insensitive' for every script, whatever the database's locale).
  title_folded text not null,
  price numeric(12, 2) not null check (price > 0),
  original_price numeric(12, 2) check (original_price > 0),
  discount_percentage smallint generated always as (
    case when original_price > price then round((original_price - price) * 100 / original_price)::smallint end
  ) stored,
  rating numeric(2, 1) check (rating between 0 and 5),
  review_count integer check (review_count >= 0),
  image_url text,
  product_url text not null,
  -- Null hides the deal.
  availability text check (availability <> ''),
  prime_eligible boolean not null default false,
  first_seen timestamptz not null default now(),
  -- When this installation last changed the row.
  last_updated timestamptz not null default now(),
  -- When the source saw these values; an older observation never overwrites a newer one.
  observed_at timestamptz not null default now(),
  posted_to_discord boolean not null default false,
  discord_timestamp timestamptz,
  -- Derived from the active words, by the transaction that changes the deal or the words.
  is_blacklisted boolean not null default false,
  is_sample boolean not null default false,
  is_visible boolean generated always as (availability is not null and not is_blacklisted) stored,
  -- Sort keys without nulls, so that a page's cursor is one row comparison.
  discount_order smallint generated always as (
    case when original_price > price then round((original_price - price) * 100 / original_price)::smallint else -1 end
  ) stored,
  discord_order timestamptz generated always as (coalesce(discord_timestamp, '-infinity'::timestamptz)) stored
);

-- One index a sort, over visible deals; price, prime and the folded title ride along so that a filtered page
-- is decided inside the index and only the rows of the page are fetched.
create index deals_newest on deals (first_seen desc, id desc, price, prime_eligible) where is_visible;
create index deals_discount on deals (discount_order desc, id desc, price, prime_eligible) where is_visible;
create index deals_price on deals (price, id, prime_eligible) where is_visible;
create index deals_discord on deals (discord_order desc, id desc, price, prime_eligible) where is_visible;
-- Substring search in any script, and finding the deals a blacklisted word touches.
create index deals_title_trigrams on deals using gin (title_folded gin_trgm_ops);
-- How common a searched text is decides between that index and walking the sort's own. From the usual 100 samples
-- PostgreSQL takes every text for rare, and sorts 20,000 deals to show 50.
alter table deals alter column title_folded set statistics 1000;
-- What changed within the last 24 hours, when little did: the sorts' own indexes would be walked to their end.
create index deals_updated on deals (last_updated) where is_visible;
-- Removing the samples at the first real import.
create index deals_samples on deals (id) where is_sample;

create table price_points (
  deal_id bigint not null references deals on delete cascade,
  seen_at timestamptz not null,
  price numeric(12, 2) not null,
  original_price numeric(12, 2),
  primary key (deal_id, seen_at)
);

create table blacklisted_words (
  id bigint generated always as identity primary key,
  word text not null unique check (word <> ''),
  is_active boolean not null default true,
  created_at timestamptz not null default now()
);

-- One row, changed last in every transaction that changes what the feed shows: its row lock makes
-- revisions commit in order, so whoever has seen N can't miss anything below N.
create table feed_state (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into feed_state (revision) values (0);

-- What each revision did, for streams that resume. Old rows are pruned.
create table feed_events (
  revision bigint primary key,
  added bigint[] not null default '{}',
  changed bigint[] not null default '{}',
  removed bigint[] not null default '{}',
  created_at timestamptz not null default now()
);

create table imports (
  id bigint generated always as identity primary key,
  source text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  received integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  rejected integer not null default 0
);
