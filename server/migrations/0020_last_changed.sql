-- For `sort=updated`, with price and prime as in the other sorts' indexes. Ascending, so that what changes now is written at
-- the end; a page walks it backwards. Only where there are no deals yet: elsewhere the running application makes it while
-- everybody reads and writes (`replaceUpdatedIndex`), and until then pages sort what the old index gives them.
do $$ begin
  if not exists (select from deals) then
    drop index deals_updated;
    create index deals_updated on deals (last_updated, id, price, prime_eligible) where is_visible;
  end if;
end $$;
