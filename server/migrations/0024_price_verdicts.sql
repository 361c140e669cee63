-- A point without a price is a gap that is known: the deal was not offered then. `is_wrong`: an administrator says that nobody was asked
-- for this price. Neither touches a row.
alter table price_points alter column price drop not null, add column is_wrong boolean not null default false;
-- Whether what this import saw may be kept as history.
alter table imports add column keeps_history boolean not null default true;

-- What each deal's points say of its price, as questions ask for it; what people read stands in the deal. Without a foreign key, as the
-- points: checking each row one by one would be a fifth of what a refresh writes.
create table price_verdicts (
  deal_id bigint primary key,
  -- When it is to be found out anew: by then windows have slid or confirmations have become old.
  due_at timestamptz not null,
  -- As of when all below is; null before the first time. Figures are null where too little is known.
  computed_at timestamptz,
  kind text,
  watched_since timestamptz,
  coverage_90 real,
  typical numeric(12, 2),
  low_30 numeric(12, 2),
  low_30_at timestamptz,
  low_90 numeric(12, 2),
  low_90_at timestamptz,
  low_365 numeric(12, 2),
  low_365_at timestamptz
);
-- What is due, the newest first.
create index price_verdicts_due on price_verdicts (due_at);

-- Deals from this id on are all to be judged anew, as after an update or a restore; null once they are marked.
create table price_state (only_row boolean primary key default true check (only_row), next_deal bigint);
insert into price_state (next_deal) values (0);

create or replace function delete_price_points() returns trigger language plpgsql as $$
begin
  delete from price_points where deal_id in (select id from gone);
  delete from price_verdicts where deal_id in (select id from gone);
  return null;
end $$;

-- The verdict as it stands in the deal's JSON, as a text that is JSON, null before the first; and what is asked of it, taken from that text
-- by whoever writes it. They stand in the deal, so that they change with a revision. No column touches a row.
alter table deals add column verdict text,
  add column verdict_kind text,
  -- Without a verdict a deal comes last: no price is that far above the typical one.
  add column best_order numeric(12, 2) not null default -999999999.99,
  add column under_typical smallint,
  add column low_days smallint,
  add column price_drop smallint,
  add column dropped_at timestamptz;
-- For `sort=best`, with price and prime as in the other sorts' indexes. Without titles: texts are found in memory, and each import would write
-- them once more. Only where there are no deals yet: elsewhere the running application makes it while
-- everybody reads and writes (`replaceOldIndexes`).
do $$ begin
  if not exists (select from deals) then
    create index deals_best on deals (best_order desc, id desc, price, prime_eligible) where is_visible;
  end if;
end $$;

create or replace function deal_json_version() returns smallint language sql immutable parallel safe as 'select 4::smallint';

create or replace function deal_json_of(d deals) returns text language plpgsql immutable parallel safe as $$
begin
  return concat(
    '{"id":', d.id, ',"asin":"', d.asin, '","title":', to_json(d.title),
    ',"brand":', coalesce(to_json(d.brand)::text, 'null'),
    ',"category":', coalesce(to_json(d.category)::text, 'null'),
    ',"condition":', coalesce(to_json(d.condition)::text, 'null'), ',"price":', d.price,
    ',"original_price":', coalesce(d.original_price::text, 'null'),
    ',"discount_percentage":', coalesce(case when d.original_price > d.price
      then round((d.original_price - d.price) * 100 / d.original_price)::text end, 'null'),
    ',"rating":', coalesce(d.rating::text, 'null'), ',"review_count":', coalesce(d.review_count::text, 'null'),
    ',"image_url":', coalesce(to_json(d.image_url)::text, 'null'),
    ',"availability":', coalesce(to_json(d.availability)::text, 'null'),
    ',"prime_eligible":', case when d.prime_eligible then 'true' else 'false' end,
    ',"first_seen":', left(to_json(d.first_seen at time zone 'UTC')::text, -1),
    'Z","last_updated":', left(to_json(d.last_updated at time zone 'UTC')::text, -1),
    'Z","observed_at":', left(to_json(d.observed_at at time zone 'UTC')::text, -1),
    'Z","ends_at":', coalesce(left(to_json(d.ends_at at time zone 'UTC')::text, -1) || 'Z"', 'null'),
    ',"posted_to_discord":', case when d.posted_to_discord then 'true' else 'false' end,
    ',"discord_timestamp":',
    coalesce(left(to_json(d.discord_timestamp at time zone 'UTC')::text, -1) || 'Z"', 'null'),
    ',"verdict":', coalesce(d.verdict, 'null'),
    ',"is_sample":', case when d.is_sample then 'true,"product_url":' || to_json(d.product_url)::text || '}'
      else 'false,"product_url":' end
  );
end $$;

drop trigger deals_keep_json on deals;
create trigger deals_keep_json before insert or update of
  id, asin, title, brand, category, condition, price, original_price, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, observed_at, ends_at, posted_to_discord, discord_timestamp,
  verdict, is_blacklisted, is_over, is_sample, json_version
  on deals for each row execute function keep_deal_json();
-- Nothing to be made anew where there is nothing.
update feed_state set json_version = deal_json_version() where not exists (select from deals);
