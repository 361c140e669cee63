-- What of a deal questions ask for and that a change changed, as it was before; null where nothing but the recorded fields
-- changed. An array as the others; null for records of before, and of a process of the release before.
alter table deal_changes add column old_facts jsonb[];

-- Which source an import was of: its terms say what may be told of a deal elsewhere.
create index source_runs_imports on source_runs using gin (import_ids);

-- Where messages are sent, of one member or, without an owner, of the group. `secrets` is a sealed text.
create table destinations (
  id bigint generated always as identity primary key,
  owner_id bigint references users on delete cascade,
  kind text not null,
  name text not null check (name <> ''),
  settings jsonb not null,
  secrets text,
  -- The names of the secrets that are there.
  secret_names text[] not null default '{}',
  affiliate_tag text not null default '',
  disclosure text not null default '',
  is_paused boolean not null default false,
  -- Never 'paused': that is `is_paused`.
  state text not null,
  state_text text not null default '',
  failing_since timestamptz,
  -- SHA-256 of the code that links or confirms it, the sealed code where it is shown again, and how often a wrong one was entered.
  code_hash bytea,
  code text,
  code_expires_at timestamptz,
  code_failures smallint not null default 0,
  -- Who sends to it, one message at a time, and until when; once over, it says who was served when, so that all take turns.
  busy_by uuid,
  busy_until timestamptz,
  -- Nothing is sent to it before: it fails, or its service wants a pause.
  resume_at timestamptz,
  last_sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);
-- All of one member, or of the group.
create index destinations_owner on destinations (owner_id);
-- Whom a code that the bot was sent belongs to.
create unique index destinations_code on destinations (code_hash) where code_hash is not null;

-- A saved search, or one deal at or below a price, whose matches go to a destination.
create table alerts (
  id bigint generated always as identity primary key,
  destination_id bigint not null references destinations on delete cascade,
  search_id bigint references saved_searches on delete cascade,
  deal_id bigint,
  target_price numeric(12, 2),
  mode text not null default 'now',
  again_percent smallint not null default 5,
  urgent_off smallint,
  urgent_below numeric(12, 2),
  is_paused boolean not null default false,
  last_matched_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  check ((search_id is null) = (deal_id is not null and target_price is not null))
);
-- A search, or a deal, goes to a destination once. They also serve deleting a destination.
create unique index alerts_search on alerts (destination_id, search_id) where search_id is not null;
create unique index alerts_deal on alerts (destination_id, deal_id) where deal_id is not null;
-- Deleting a search.
create index alerts_of_search on alerts (search_id) where search_id is not null;

-- Whoever matches keeps the alerts in memory; another number says that something about them is different. One row.
create table alert_version (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 0
);
insert into alert_version default values;

-- At the commit, so that nobody holds the row for longer than that.
create function alerts_changed() returns trigger language plpgsql as $$
begin
  update alert_version set version = version + 1;
  return null;
end $$;
create constraint trigger alerts_changed
  after insert or delete or update of destination_id, search_id, deal_id, target_price, mode, again_percent, urgent_off,
    urgent_below, is_paused on alerts
  deferrable initially deferred for each row execute function alerts_changed();
create constraint trigger alerts_changed
  after update of owner_id, state, is_paused on destinations
  deferrable initially deferred for each row
  -- A failing one is sent to as before.
  when (old.owner_id is distinct from new.owner_id or old.is_paused <> new.is_paused
    or (old.state in ('ok', 'failing')) <> (new.state in ('ok', 'failing')))
  execute function alerts_changed();
create constraint trigger alerts_changed
  after update of question, name, owner_id, is_shared, deleted_at on saved_searches
  deferrable initially deferred for each row execute function alerts_changed();
create constraint trigger alerts_changed
  after update of is_active, status on users
  deferrable initially deferred for each row execute function alerts_changed();

-- One destination hears of one deal from the first match until the deal ends, whichever searches find it.
create table alert_episodes (
  id bigint generated always as identity primary key,
  destination_id bigint not null references destinations on delete cascade,
  deal_id bigint not null,
  -- The lowest price that was told of.
  price numeric(12, 2) not null,
  opened_at timestamptz not null default now(),
  closed_at timestamptz
);
create unique index alert_episodes_open on alert_episodes (destination_id, deal_id) where closed_at is null;
-- What is open of a deal that changes.
create index alert_episodes_deal on alert_episodes (deal_id) where closed_at is null;
-- What is to be forgotten.
create index alert_episodes_closed on alert_episodes (closed_at) where closed_at is not null;

-- Which deal an alert has found, and whether it still does: the next edge is judged by it.
create table alert_matches (
  alert_id bigint not null references alerts on delete cascade,
  deal_id bigint not null,
  episode_id bigint references alert_episodes on delete set null,
  is_matching boolean not null,
  -- The lowest price that this alert told of.
  price numeric(12, 2) not null,
  matched_at timestamptz not null default now(),
  primary key (alert_id, deal_id)
);
-- What a deal that changes was found by, and what belongs to an episode.
create index alert_matches_deal on alert_matches (deal_id);
create index alert_matches_episode on alert_matches (episode_id) where episode_id is not null;
-- What was found within the last minute, and what is to be forgotten.
create index alert_matches_matched on alert_matches (matched_at);

-- What is to be sent and what was, a message a row.
create table deliveries (
  id bigint generated always as identity primary key,
  -- By which receivers know a message that comes twice.
  uid uuid not null default gen_random_uuid(),
  destination_id bigint not null references destinations on delete cascade,
  kind text not null,
  -- Of a message about one deal; `post` counts the messages of an episode.
  episode_id bigint references alert_episodes on delete set null,
  post smallint not null default 1,
  state text not null,
  reason text not null default '',
  is_urgent boolean not null default false,
  -- When something is to be done about it; null: nothing.
  next_at timestamptz,
  attempts smallint not null default 0,
  -- How often it was sent for the first time without anybody knowing whether it arrived: it may be there that often more.
  doubts smallint not null default 0,
  -- How often what it says has changed, and which of it the receiver has.
  wanted_version integer not null default 1,
  sent_version integer not null default 0,
  -- By which the service knows the message.
  message_id text,
  status smallint,
  answer text,
  -- What it says, or said last: for the log.
  content jsonb not null default '{}',
  -- Who is at it: the `busy_by` of its destination at that time. Whoever has another one writes nothing about it any more.
  claim uuid,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  updated_at timestamptz not null default now()
);
-- A message of an episode is written once.
create unique index deliveries_episode on deliveries (episode_id, post) where kind = 'deal';
-- Forgetting episodes, whose messages stay.
create index deliveries_of_episode on deliveries (episode_id) where episode_id is not null;
-- What is due.
create index deliveries_due on deliveries (next_at) where next_at is not null;
-- The log of a destination, the newest first, and deleting one.
create index deliveries_destination on deliveries (destination_id, id desc);
-- What is waiting at one destination, in order.
create index deliveries_waiting on deliveries (destination_id, id) where next_at is not null;
-- The list that is being collected for a destination: one of a kind and time.
create unique index deliveries_held on deliveries (destination_id, kind, next_at) where state = 'held';
-- What was posted lately.
create index deliveries_sent on deliveries (sent_at) where sent_at is not null;
-- What is to be forgotten.
create index deliveries_created on deliveries (created_at);

-- The deals that a message tells of, and by which alerts they were found.
create table delivery_deals (
  delivery_id bigint not null references deliveries on delete cascade,
  deal_id bigint not null,
  episode_id bigint references alert_episodes on delete set null,
  alert_ids bigint[] not null default '{}',
  primary key (delivery_id, deal_id)
);
-- What was sent of a deal.
create index delivery_deals_deal on delivery_deals (deal_id);
create index delivery_deals_episode on delivery_deals (episode_id) where episode_id is not null;

-- When a webhook, bot, chat or server may be sent something again, by whichever process.
create table delivery_limits (
  key text primary key,
  -- What is left of `burst` at `as_of`; it refills with time.
  tokens real not null,
  as_of timestamptz not null,
  -- Nothing is sent before, by what the service has said.
  blocked_until timestamptz
);

-- When nothing is to be sent to a member; without one, of the group.
create table peace (
  id bigint generated always as identity primary key,
  user_id bigint references users on delete cascade,
  time_zone text not null,
  follows_device boolean not null,
  quiet_from time,
  quiet_to time,
  most_an_hour integer not null,
  most_at_once integer not null,
  digest_at time not null,
  digest_weekday smallint not null,
  paused_until timestamptz,
  updated_at timestamptz not null default now()
);
create unique index peace_user on peace (user_id) nulls not distinct;
-- Questions that say 'today' are asked where their owner is.
create constraint trigger alerts_changed
  after insert or delete or update of time_zone on peace
  deferrable initially deferred for each row execute function alerts_changed();

-- Signs the addresses by which mail is unsubscribed from; 244 of its bits are random.
insert into secrets (name, value)
values ('unsubscribing', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
