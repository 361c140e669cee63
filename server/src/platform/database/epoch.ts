/**
 * The epoch of a database, an SQL expression over `feed_state as state`: eight signs that are others after a restored
 * backup (PostgreSQL's own tools make the table anew), on another server (a promoted standby), after each start of
 * PostgreSQL, and whenever something that was shown may have been taken back. A revision means something only with it.
 *
 * A server that recovers since one of its backends was killed keeps its start time, but loses its statistics, which it drops for
 * having been written to at the time: those of its background writer begin anew.
 */
export const epochSql = `left(md5(concat(state.epoch, state.tableoid, extract(epoch from pg_postmaster_start_time()), extract(epoch from pg_stat_get_bgwriter_stat_reset_time()))), 8)`

/** A revision and the history it belongs to. */
export type Stamp = { epoch: string; revision: number }

/** As an event's id and in the tags of pages. */
export function writeStamp({ epoch, revision }: Stamp): string {
  return `${epoch}-${revision}`
}

/**
 * The stamp of a text made by `writeStamp`; of a number alone, as ids were before there were epochs, one of no epoch that
 * ever was. Undefined for any other text.
 */
export function readStamp(text: string): Stamp | undefined {
  const [, epoch, revision] = /^(?:([0-9a-f]{8})-)?(\d{1,15})$/.exec(text) ?? []
  return revision === undefined ? undefined : { epoch: epoch ?? '', revision: Number(revision) }
}
