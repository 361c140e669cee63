-- Costs of requests under way, each with the run that makes it and until when it counts: of a run that was killed they go with it.
alter table service_budgets
  drop column reserved,
  drop column reserved_until,
  add column reservations jsonb not null default '[]';

-- Somebody asked for a run now, which no run that began later has met yet: that it fails says nothing of how often to ask.
alter table sources add column asked_at timestamptz;

-- What a source last called an item that another calls something else: its own title is what it is compared with.
create table source_titles (
  source_id bigint not null references sources on delete cascade,
  asin text not null,
  title text not null,
  said_at timestamptz not null default now(),
  primary key (source_id, asin)
);
-- What was not said for long is forgotten.
create index source_titles_said on source_titles (said_at);

-- What somebody handed in, among the runs of sources, which are many more. There are few imports by now.
create index imports_by_hand on imports (id) where handed_in_by not like 'source %';
