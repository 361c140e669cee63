-- ASINs are ordered by their bytes, as those of deals and of staged rows are. In another order none of these indexes served a comparison
-- with them: each row of a document was looked for in all that sources list. No row is written anew; the indexes are.
alter table source_deals alter column asin type text collate "C";
alter table source_titles alter column asin type text collate "C";
alter table quarantine alter column asin type text collate "C";
