-- When a deal ends, and when a source last said that it is over: stated as a state, or by a list of everything that leaves
-- it out. `is_over` follows from both: written with the deal, and by a job once `ends_at` passes.
alter table deals add column ends_at timestamptz, add column ended_at timestamptz, add column is_over boolean not null default false;

-- Kept by the trigger that makes the JSON from here on: another expression of a generated column would write every row anew.
alter table deals alter column is_visible drop expression;
comment on column deals.is_visible is 'derived';

-- The deals whose end the job waits for: none yet, so this reads the table once and writes next to nothing.
create index deals_ends on deals (ends_at) where ends_at is not null and not is_over;

create or replace function deal_json_version() returns smallint language sql immutable parallel safe as 'select 3::smallint';

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
    ',"is_sample":', case when d.is_sample then 'true,"product_url":' || to_json(d.product_url)::text || '}'
      else 'false,"product_url":' end
  );
end $$;

-- What hides a deal is in the list of columns too.
create or replace function keep_deal_json() returns trigger language plpgsql as $$
begin
  new.is_visible := new.availability is not null and not new.is_blacklisted and not new.is_over;
  new.deal_json := deal_json_of(new);
  new.json_version := deal_json_version();
  return new;
end $$;

drop trigger deals_keep_json on deals;
create trigger deals_keep_json before insert or update of
  id, asin, title, brand, category, condition, price, original_price, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, observed_at, ends_at, posted_to_discord, discord_timestamp,
  is_blacklisted, is_over, is_sample, json_version
  on deals for each row execute function keep_deal_json();
-- Nothing to be made anew where there is nothing.
update feed_state set json_version = deal_json_version() where not exists (select from deals);

-- How many deals an import has hidden because it lists everything and left them out.
alter table imports add column missing_hidden integer not null default 0;
