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

/** Calls `onVersion` with every new version of the filters, by whichever instance. */
export function relayFilters(databases: Databases, bus: LiveBus, onVersion: (version: number) => void): void {
  let known: number | undefined
  let knownEpoch: string | undefined
  const announce = (version: number) => {
    if (known !== undefined && version <= known) return
    known = version
    onVersion(version)
  }
  const catchUp = ({ version, epoch }: { version: number; epoch: string }) => {
    // The version there is at the start is news to nobody. One of another epoch is, whatever its number.
    const isFirst = knownEpoch === undefined
    if (epoch !== knownEpoch) known = isFirst ? version : undefined
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
