-- What a deal says of its product beside the title. No row has them yet, so nothing of what is there needs to be looked at.
alter table deals add column brand text, add column category text, add column condition text;
alter table deals
  add constraint deals_brand_check check (brand <> '') not valid,
  add constraint deals_category_check check (category <> '') not valid,
  add constraint deals_condition_check check (condition in ('new', 'renewed', 'used')) not valid;

create or replace function deal_json_version() returns smallint language sql immutable parallel safe as 'select 2::smallint';

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
    'Z","posted_to_discord":', case when d.posted_to_discord then 'true' else 'false' end,
    ',"discord_timestamp":',
    coalesce(left(to_json(d.discord_timestamp at time zone 'UTC')::text, -1) || 'Z"', 'null'),
    ',"is_sample":', case when d.is_sample then 'true,"product_url":' || to_json(d.product_url)::text || '}'
      else 'false,"product_url":' end
  );
end $$;

drop trigger deals_keep_json on deals;
create trigger deals_keep_json before insert or update of
  id, asin, title, brand, category, condition, price, original_price, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, posted_to_discord, discord_timestamp, is_sample, json_version
  on deals for each row execute function keep_deal_json();
-- Nothing to be made anew where there is nothing.
update feed_state set json_version = deal_json_version() where not exists (select from deals);
