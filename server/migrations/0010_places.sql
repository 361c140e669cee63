-- Roughly where a deal stands in each sort, as numbers the index of words can hold: deals of one number stand together
-- in the sort, those of the next one right behind or before them. The newest with a word are then found by cutting the
-- list of the word with those of a few places. `windowsFrom` of the server knows how to go from place to place.
--
-- The last three bits tell the kinds apart: stretches of 18 hours (0, and 4 for Discord), percents (1), 16,384 ids where
-- there is no discount (2) or no time in Discord (5), since those deals are in the order of their ids; and 16 steps from
-- one power of ten to the next for prices (3), by their first two digits: 10, 12, ... 18, 20, 25, ... 45, 50, 60, ... 90.
--
-- PL/pgSQL, since the planner would take a function in SQL apart anew for every statement about deals.
create function deal_places(
  id bigint, first_seen timestamptz, discount_order smallint, price numeric, discord_timestamp timestamptz
) returns bigint[] language plpgsql immutable parallel safe as $$
declare
  thousandths constant text := (price * 1000)::bigint::text;
  digits constant integer := left(thousandths, 2)::integer;
begin
  return array[
    floor(extract(epoch from first_seen - timestamptz 'epoch'))::bigint >> 16 << 3,
    case when discount_order < 0 then id >> 14 << 3 | 2 else discount_order::bigint << 3 | 1 end,
    (length(thousandths) * 16 + least(digits / 2, digits / 5 + 6, digits / 10 + 11))::bigint << 3 | 3,
    case when discord_timestamp is null then id >> 14 << 3 | 5
      else floor(extract(epoch from discord_timestamp - timestamptz 'epoch'))::bigint >> 16 << 3 | 4 end
  ];
end $$;

-- As before, with the places as a second column: an index cuts only its own lists with one another cheaply.
drop index deals_words;
create index deals_words on deals using gin
  (string_to_array(title_folded, ' '), deal_places(id, first_seen, discount_order, price, discord_timestamp));
-- What the planner knew of the words belonged to the old index.
analyze deals;
