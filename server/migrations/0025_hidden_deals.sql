-- Since when an administrator hides the deal, whatever imports say of it; null: nobody does. Touches no row.
alter table deals add column hidden_at timestamptz;

create or replace function keep_deal_json() returns trigger language plpgsql as $$
begin
  new.is_visible := new.availability is not null and not new.is_blacklisted and not new.is_over and new.hidden_at is null;
  new.deal_json := deal_json_of(new);
  new.json_version := deal_json_version();
  return new;
end $$;

drop trigger deals_keep_json on deals;
create trigger deals_keep_json before insert or update of
  id, asin, title, brand, category, condition, price, original_price, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, observed_at, ends_at, posted_to_discord, discord_timestamp,
  verdict, is_blacklisted, is_over, hidden_at, is_sample, json_version
  on deals for each row execute function keep_deal_json();
