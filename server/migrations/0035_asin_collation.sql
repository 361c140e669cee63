-- ASINs are ordered by their bytes, as those of deals and of staged rows are. Indexes in another order were of no use where these are
-- compared with those: each row of a document was looked for in all that sources list. No row is written anew; the indexes are.
-- All three at once: whoever has one and waits for another would wait for as long as an index takes.
lock table quarantine, source_titles, source_deals in access exclusive mode;
alter table source_deals alter column asin type text collate "C";
alter table source_titles alter column asin type text collate "C";
alter table quarantine alter column asin type text collate "C";
-- What was known of how often each comes is gone with the old order.
analyze source_deals (asin), source_titles (asin), quarantine (asin);
