create table amazon_filters (
  id bigint generated always as identity primary key,
  category text collate "C" not null
    check (category in ('brands', 'deals', 'percent_off', 'departments', 'sold_by', 'sort_by')),
  name text not null check (name <> ''),
  -- The name as two names are compared: the server folds it, as it does titles.
  name_folded text collate "C" not null check (name_folded <> ''),
  -- A fragment in normal form, such as p_8:50- or i=bazaar&srs=1.
  code text not null check (code <> ''),
  -- Whole milliseconds, the precision they travel with: an edit names the one it was based on.
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);

-- A name once in each category. Also the order in which the list is read.
create unique index amazon_filters_name on amazon_filters (category, name_folded);

-- One row, changed first in every transaction that changes filters: its row lock lets one writer in at a time, so
-- versions commit in order and whoever holds version N holds everything up to it.
create table filter_state (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into filter_state (version) values (0);
