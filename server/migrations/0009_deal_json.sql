-- A deal as the interface answers it, made when the deal is written instead of each time it is read: a page of the feed
-- then passes through PostgreSQL and Node as one text. Left open at its end, where the link to the product belongs,
-- which depends on the installation's settings; a sample's own link is there already.
--
-- Immutable because nothing in it asks for the session's settings: times are turned to UTC before they are written out.
-- PL/pgSQL, since a function in SQL takes three times as long for every deal written.
create function deal_json(
  id bigint, asin text, title text, price numeric, original_price numeric, discount_percentage smallint, rating numeric,
  review_count integer, image_url text, product_url text, availability text, prime_eligible boolean,
  first_seen timestamptz, last_updated timestamptz, posted_to_discord boolean, discord_timestamp timestamptz,
  is_sample boolean
) returns text language plpgsql immutable parallel safe as $$
begin
  return concat(
    '{"id":', id, ',"asin":"', asin, '","title":', to_json(title), ',"price":', price,
    ',"original_price":', coalesce(original_price::text, 'null'),
    ',"discount_percentage":', coalesce(discount_percentage::text, 'null'),
    ',"rating":', coalesce(rating::text, 'null'), ',"review_count":', coalesce(review_count::text, 'null'),
    ',"image_url":', coalesce(to_json(image_url)::text, 'null'),
    ',"availability":', coalesce(to_json(availability)::text, 'null'),
    ',"prime_eligible":', case when prime_eligible then 'true' else 'false' end,
    ',"first_seen":', left(to_json(first_seen at time zone 'UTC')::text, -1),
    'Z","last_updated":', left(to_json(last_updated at time zone 'UTC')::text, -1),
    'Z","posted_to_discord":', case when posted_to_discord then 'true' else 'false' end,
    ',"discord_timestamp":',
    coalesce(left(to_json(discord_timestamp at time zone 'UTC')::text, -1) || 'Z"', 'null'),
    ',"is_sample":', case when is_sample then 'true,"product_url":' || to_json(product_url)::text || '}'
      else 'false,"product_url":' end
  );
end $$;

alter table deals add column deal_json text not null generated always as (deal_json(
  id, asin, title, price, original_price,
  case when original_price > price then round((original_price - price) * 100 / original_price)::smallint end,
  rating, review_count, image_url, product_url, availability, prime_eligible, first_seen, last_updated,
  posted_to_discord, discord_timestamp, is_sample
)) stored;
