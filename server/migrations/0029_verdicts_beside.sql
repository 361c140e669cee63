-- The verdict stood twice in each row, which made all rows a sixth longer, and a new one made the whole JSON anew. Now whoever reads a deal
-- puts it behind the link. A process of the release before goes on beside this one with texts of the same form, but shows no verdicts, and
-- its list by `best` ends after a page. The samples, which have their own links, are whole as before, for that process too.
create or replace function deal_json_version() returns smallint language sql immutable parallel safe as 'select 5::smallint';

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
    ',"is_sample":', case
      when d.is_sample
        then 'true,"product_url":' || to_json(d.product_url)::text || ',"verdict":' || coalesce(d.verdict, 'null') || '}'
      else 'false,"product_url":' end
  );
end $$;

drop trigger deals_keep_json on deals;
create trigger deals_keep_json before insert or update of
  id, asin, title, brand, category, condition, price, original_price, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, observed_at, ends_at, posted_to_discord, discord_timestamp,
  is_blacklisted, is_over, hidden_at, is_sample, json_version
  on deals for each row execute function keep_deal_json();
create trigger deals_keep_sample_json before update of verdict
  on deals for each row when (new.is_sample) execute function keep_deal_json();
update feed_state set json_version = deal_json_version() where not exists (select from deals);
