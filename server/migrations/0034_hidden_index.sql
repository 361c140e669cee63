-- For `is:hidden`, which administrators ask: among a million deals the hidden ones were looked for in all of them. Only where there are
-- no deals yet: elsewhere the running application makes it while everybody reads and writes (`replaceOldIndexes`).
do $$ begin
  if not exists (select from deals) then
    create index deals_hidden on deals (first_seen desc, id desc) where not is_visible;
  end if;
end $$;
