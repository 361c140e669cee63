create extension if not exists pg_trgm;

-- Columns of fixed width first: what a search asks of thousands of rows is read without passing their texts.
create table deals (
  id bigint generated always as identity primary key,
  first_seen timestamptz not null default now(),
  -- When this installation last changed the row.
  last_updated timestamptz not null default now(),
  -- When the source saw these values; an older observation never overwrites a newer one.
  observed_at timestamptz not null default now(),
  -- Sort keys without nulls, so that a page's cursor is one row comparison.
  discord_order timestamptz generated always as (coalesce(discord_timestamp, '-infinity'::timestamptz)) stored,
  discount_order smallint generated always as (
    case when original_price > price then round((original_price - price) * 100 / original_price)::smallint else -1 end
  ) stored,
  is_visible boolean generated always as (availability is not null and not is_blacklisted) stored,
  prime_eligible boolean not null default false,
  -- Derived from the active words, by the transaction that changes the deal or the words.
  is_blacklisted boolean not null default false,
  is_sample boolean not null default false,
  posted_to_discord boolean not null default false,
  price numeric(12, 2) not null check (price > 0),
  original_price numeric(12, 2) check (original_price > 0),
  discount_percentage smallint generated always as (
    case when original_price > price then round((original_price - price) * 100 / original_price)::smallint end
  ) stored,
  rating numeric(2, 1) check (rating between 0 and 5),
  review_count integer check (review_count >= 0),
  discord_timestamp timestamptz,
  asin text collate "C" not null unique check (asin ~ '^[A-Z0-9]{10}$'),
  title text not null check (title <> ''),
  -- The title as search and blacklist compare it. The server folds it (one definition of
  -- 'case-insensitive' for every script, whatever the database's locale).
  title_folded text collate "C" not null,
  image_url text,
  product_url text not null,
  -- Null hides the deal.
  availability text check (availability <> '')
);

-- One index a sort, over visible deals. Price, prime and the folded title ride along: a filtered or searched page
-- reads nothing else on the way, and rows are fetched for the page only.
create index deals_newest on deals (first_seen desc, id desc, price, prime_eligible) include (title_folded) where is_visible;
create index deals_discount on deals (discount_order desc, id desc, price, prime_eligible) include (title_folded) where is_visible;
create index deals_price on deals (price, id, prime_eligible) include (title_folded) where is_visible;
create index deals_discord on deals (discord_order desc, id desc, price, prime_eligible) include (title_folded) where is_visible;
-- A rare text is found through the words that hold it: few different words, each with an exact list of its deals. The
-- trigrams of whole titles cost three times as much to keep, and their lists have to be cut with one another.
create index deals_words on deals using gin (string_to_array(title_folded, ' '));
-- What changed within the last 24 hours, when little did: the sorts' own indexes would be walked to their end.
create index deals_updated on deals (last_updated) where is_visible;
-- Removing the samples at the first real import.
create index deals_samples on deals (id) where is_sample;

-- Every word of every title, and some that are in none any more.
create table title_words (word text collate "C" primary key);
create index title_words_trigrams on title_words using gin (word gin_trgm_ops);

create function keep_title_words() returns trigger language plpgsql as $$
begin
  insert into title_words
    select distinct piece from written, unnest(string_to_array(title_folded, ' ')) as piece
    where not exists (select from title_words known where known.word = piece)
    order by piece on conflict do nothing;
  return null;
end $$;
create function keep_changed_title_words() returns trigger language plpgsql as $$
begin
  insert into title_words
    select distinct piece from unnest(string_to_array(new.title_folded, ' ')) as piece order by piece
    on conflict do nothing;
  return null;
end $$;

-- An import makes all its words known before it writes, and says so: asking again for every chunk takes a tenth of it.
create trigger deals_keep_words after insert on deals referencing new table as written
  for each statement when (current_setting('dealdeck.words_are_known', true) is distinct from 'on')
  execute function keep_title_words();
create trigger deals_keep_changed_words after update of title_folded on deals
  for each row when (old.title_folded <> new.title_folded
    and current_setting('dealdeck.words_are_known', true) is distinct from 'on')
  execute function keep_changed_title_words();

create table price_points (
  deal_id bigint not null references deals on delete cascade,
  seen_at timestamptz not null,
  price numeric(12, 2) not null,
  original_price numeric(12, 2),
  primary key (deal_id, seen_at)
);

create table blacklisted_words (
  id bigint generated always as identity primary key,
  word text collate "C" not null unique check (word <> ''),
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
