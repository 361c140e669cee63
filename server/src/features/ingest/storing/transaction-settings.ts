/** Of a chunk's transaction only. Durability waits for the import's own record, which is what gets acknowledged. */
export const chunkSettings = `set local synchronous_commit = off; set local work_mem = '64MB';
  set local gin_pending_list_limit = '64MB'; set local dealdeck.words_are_known = 'on'`

/** Deals are looked for row by row: any other join would read all of them, and write most to the disk. */
export const sortingOutSettings = `${chunkSettings}; set local enable_hashjoin = off; set local enable_mergejoin = off`

/** A plan made while the tables were small is used when they have grown, so it must look for each row by an index. */
export const sentSettings = `${chunkSettings}; set local plan_cache_mode = 'force_generic_plan';
  set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off`
