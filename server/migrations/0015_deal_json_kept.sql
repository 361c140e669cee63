-- The JSON of a deal is kept by a trigger instead of being generated: a generated column can only get another expression by
-- writing all rows anew in one transaction, during which nobody reads. `json_version` says by which version of the function
-- a row's text was made; rows of an older one are made anew in pieces, and by whoever reads them until then.
create function deal_json_version() returns smallint language sql immutable parallel safe as 'select 1::smallint';

-- As `deal_json` of migration 9 said it, of the row as a whole. Values that the database generates are not there yet when
-- the trigger runs. PL/pgSQL and immutable for the reasons given there.
create function deal_json_of(d deals) returns text language plpgsql immutable parallel safe as $$
begin
  return concat(
    '{"id":', d.id, ',"asin":"', d.asin, '","title":', to_json(d.title), ',"price":', d.price,
    ',"original_price":', coalesce(d.original_price::text, 'null'),
    ',"discount_percentage":', coalesce(case when d.original_price > d.price
      then round((d.original_price - d.price) * 100 / d.original_price)::text end, 'null'),
    ',"rating":', coalesce(d.rating::text, 'null'), ',"review_count":', coalesce(d.review_count::text, 'null'),
    ',"image_url":', coalesce(to_json(d.image_url)::text, 'null'),
    ',"availability":', coalesce(to_json(d.availability)::text, 'null'),
    ',"prime_eligible":', case when d.prime_eligible then 'true' else 'false' end,
    ',"first_seen":', left(to_json(d.first_seen at time zone 'UTC')::text, -1),
    'Z","last_updated":', left(to_json(d.last_updated at time zone 'UTC')::text, -1),
    'Z","posted_to_discord":', case when d.posted_to_discord then 'true' else 'false' end,
    ',"discord_timestamp":',
    coalesce(left(to_json(d.discord_timestamp at time zone 'UTC')::text, -1) || 'Z"', 'null'),
    ',"is_sample":', case when d.is_sample then 'true,"product_url":' || to_json(d.product_url)::text || '}'
      else 'false,"product_url":' end
  );
end $$;

-- Both without touching a row.
alter table deals alter column deal_json drop expression;
alter table deals add column json_version smallint not null default 1;
-- A backup leaves out what this says of a column.
comment on column deals.deal_json is 'derived';
comment on column deals.json_version is 'derived';

create function keep_deal_json() returns trigger language plpgsql as $$
begin
  new.deal_json := deal_json_of(new);
  new.json_version := deal_json_version();
  return new;
end $$;
-- Of all columns that stand in the text, and of its version, by which a row is made anew.
create trigger deals_keep_json before insert or update of
  id, asin, title, price, original_price, rating, review_count, image_url, product_url, availability, prime_eligible,
  first_seen, last_updated, posted_to_discord, discord_timestamp, is_sample, json_version
  on deals for each row execute function keep_deal_json();

drop function deal_json;
-- The version that no row is older than.
alter table feed_state add column json_version smallint not null default 1;
