-- Words alone: the buckets beside them were for windows of a search, which no search is made of any more. Only where there are no
-- deals yet: elsewhere the running application builds it (`replaceOldIndexes`), and until then searches use the old index.
-- `deal_places` stays for that one and for processes of the release before; a later migration drops it.
do $$ begin
  if not exists (select from deals) then
    drop index deals_words;
    create index deals_words on deals using gin (string_to_array(title_folded, ' '));
  end if;
end $$;
