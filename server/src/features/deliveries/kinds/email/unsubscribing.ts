import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Databases } from '../../../../platform/database/database.ts'
import { publishDeliveries } from '../../live.ts'
import type { KindDeps } from '../destination-kind.ts'

/** What the last part of such an address looks like: the destination, and a signature of 256 bits. */
const tokenShape = /^(\d{1,15})-([\w-]{43})$/

/** A destination that the address of a message stands for. */
type Found = { id: number; name: string; address: string; isPaused: boolean }

/**
 * The address at which a destination is unsubscribed from, for as long as mail goes to this very address; null without PUBLIC_URL. Nobody
 * can make one for another destination: it is signed with a key that only this installation has.
 */
export async function unsubscribeUrl(
  { databases, settings: { PUBLIC_URL } }: Pick<KindDeps, 'databases' | 'settings'>,
  id: number,
  address: string,
): Promise<string | null> {
  if (PUBLIC_URL === '') return null
  const signature = signatureOf(await readKey(databases), id, address).toString('base64url')
  return `${new URL(PUBLIC_URL).origin}/unsubscribe/${id}-${signature}`
}

/** The destination of such an address; null where it stands for none, or for none any more. */
export async function findUnsubscribing(databases: Databases, token: string): Promise<Found | null> {
  const [, id = '', signature = ''] = tokenShape.exec(token) ?? []
  if (id === '') return null
  const row = await databases.reservedDb
    .selectFrom('destinations')
    .select(['id', 'name', 'settings', 'is_paused'])
    .where('id', '=', Number(id))
    .where('kind', '=', 'email')
    .executeTakeFirst()
  const address = String(row?.settings.address ?? '')
  const right = signatureOf(await readKey(databases), Number(id), address)
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), right) || !row) return null
  return { id: row.id, name: row.name, address, isPaused: row.is_paused }
}

/** Sends nothing more to a destination until its owner resumes it. Doing it twice changes nothing. */
export async function pauseByLink({ durableDb }: Databases, { id }: Pick<Found, 'id'>): Promise<void> {
  const paused = await durableDb
    .updateTable('destinations')
    .set({
      is_paused: true,
      state_text: 'Paused by the link in one of its messages.',
      updated_at: new Date(),
    })
    .where('id', '=', id)
    .where('is_paused', '=', false)
    .returning('owner_id as ownerId')
    .execute()
  for (const { ownerId } of paused)
    await publishDeliveries(durableDb, { ownerId, changed: 'destinations', destinationId: id })
}

function signatureOf(key: Buffer, id: number, address: string): Buffer {
  return createHmac('sha256', key).update(`unsubscribe ${id} ${address}`).digest()
}

async function readKey({ reservedDb }: Databases): Promise<Buffer> {
  const rows = reservedDb.selectFrom('secrets').select('value').where('name', '=', 'unsubscribing')
  return (await rows.executeTakeFirstOrThrow()).value
}
