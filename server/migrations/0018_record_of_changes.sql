-- What followers need to judge an edge: of each deal that an event names, what it was and what it is. One row holds up to a
-- thousand deals as arrays of one length, for as rows of their own they would cost an import a tenth of its time.
create table deal_changes (
  id bigint generated always as identity primary key,
  -- Which import it was; null for words, samples and whatever else is no import.
  import_id bigint,
  deal_ids bigint[] not null,
  -- Element i is of deal i. All old ones null: it wasn't there; all new ones: it isn't any more.
  old_is_visible boolean[] not null,
  old_price numeric(12, 2)[] not null,
  old_original_price numeric(12, 2)[] not null,
  old_availability text[] not null,
  new_is_visible boolean[] not null,
  new_price numeric(12, 2)[] not null,
  new_original_price numeric(12, 2)[] not null,
  new_availability text[] not null
);

-- Null for events of before, and of a process of the release before. No foreign key: records go before their events.
alter table feed_events add column changes_id bigint;

-- How far each follower of the events has got, by its name.
create table followers (
  name text collate "C" primary key,
  -- The last revision it has dealt with.
  position bigint not null,
  moved_at timestamptz not null default now()
);

-- Until when a price was seen unchanged, and which import saw it first; nobody knows either of the points of before.
alter table price_points add column confirmed_until timestamptz, add column import_id bigint;
-- Room on each page, so that confirming a price writes no index.
alter table price_points set (fillfactor = 90);
