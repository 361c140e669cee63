-- Places of two widths more: where deals stand thin, a window of many narrow places takes twice as long to look through
-- as one wide place of as many deals; where they stand thick, the narrow ones weren't narrow enough.

-- The last four bits tell the kinds apart, in the order of the array: stretches of 18 hours (0); percents (1), or 16,384
-- ids where there is no discount (2); prices by their first two digits (3); stretches of 18 hours in Discord (4), or
-- 16,384 ids where there is none (5); of the price eight and three from one power of ten to the next (6, 7); four percents (8).
drop index deals_words;

create or replace function deal_places(
  id bigint, first_seen timestamptz, discount_order smallint, price numeric, discord_timestamp timestamptz
) returns bigint[] language plpgsql immutable parallel safe as $$
declare
  thousandths constant text := (price * 1000)::bigint::text;
  digits constant integer := left(thousandths, 2)::integer;
  power constant bigint := length(thousandths);
begin
  return array[
    floor(extract(epoch from first_seen - timestamptz 'epoch'))::bigint >> 16 << 4,
    case when discount_order < 0 then id >> 14 << 4 | 2 else discount_order::bigint << 4 | 1 end,
    (power * 90 + digits - 10) << 4 | 3,
    case when discord_timestamp is null then id >> 14 << 4 | 5
      else floor(extract(epoch from discord_timestamp - timestamptz 'epoch'))::bigint >> 16 << 4 | 4 end,
    (power * 9 + width_bucket(digits, array[10, 12, 15, 20, 30, 40, 50, 70])) << 4 | 6,
    (power * 4 + width_bucket(digits, array[10, 20, 50])) << 4 | 7
  ] || case when discount_order < 0 then array[]::bigint[] else array[discount_order::bigint >> 2 << 4 | 8] end;
end $$;

create index deals_words on deals using gin
  (string_to_array(title_folded, ' '), deal_places(id, first_seen, discount_order, price, discord_timestamp));
-- What the planner knew of the words and places belonged to the old index.
analyze deals;
