import { type Kysely, sql } from 'kysely'
import type { Databases } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { readVersion } from './queries.ts'

/** The channel on which instances tell each other of a new version of the list; the payload is its number. */
const filtersChannel = 'dealdeck_filters'

/** How soon the version is read again after that failed, in milliseconds. */
const againMs = 1_000

/** Tells every instance of a version when the transaction commits. */
export async function publishVersion(transaction: Kysely<Tables>, version: number): Promise<void> {
  await sql`select pg_notify(${filtersChannel}, ${String(version)})`.execute(transaction)
}

/** The open streams, as far as is asked of them here. */
type Streams = { readonly figures: { readonly open: number } }

/**
 * Calls `onVersion` with every new version of the filters, by whichever instance. Streams may be open before the version was first
 * read, as with a slow database; they are told what was read, for it may have changed since they opened.
 */
export function relayFilters(
  databases: Databases,
  bus: LiveBus,
  streams: Streams,
  onVersion: (version: number) => void,
): void {
  let known: number | undefined
  let knownEpoch: string | undefined
  const announce = (version: number) => {
    if (known !== undefined && version <= known) return
    known = version
    onVersion(version)
  }
  const catchUp = ({ version, epoch }: { version: number; epoch: string }) => {
    const isFirst = knownEpoch === undefined
    // Another epoch is news, whatever its number. The first version is to nobody who came later, and 0 is a list that never changed.
    if (isFirst && (streams.figures.open === 0 || version === 0)) known = version
    else if (!isFirst && epoch !== knownEpoch) known = undefined
    knownEpoch = epoch
    announce(version)
  }
  bus.on(filtersChannel, (payload) => announce(Number(payload)))
  const read = () => {
    const again = () => void (bus.connected && setTimeout(read, againMs).unref())
    readVersion(databases).then(catchUp, again)
  }
  // What was published while nothing could be heard. Where the bus was lost as well, it reads when it is back.
  bus.onConnect(read)
}
