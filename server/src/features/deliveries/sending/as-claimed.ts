import type { Databases } from '../../../platform/database/database.ts'

type Place = { id: number; settings: Record<string, unknown>; secrets: string | null }

/**
 * That a destination `t` is the one that is sent to, in SQL: its owner may have entered another address while an answer is awaited, and
 * what the old one says doesn't hold for the new one. The parameters are those of `sameOf`.
 */
export const isSame = (settings: string, secrets: string) =>
  `t.settings = ${settings}::jsonb and t.secrets is not distinct from ${secrets}::text`

/** What a destination is sent to with. */
export const sameOf = ({ settings, secrets }: Omit<Place, 'id'>) => [JSON.stringify(settings), secrets]

/** Whether a destination is another one than it was when it was claimed. */
export async function isElsewhere({ durablePool }: Databases, target: Place): Promise<boolean> {
  const { rows } = await durablePool.query<{ is_same: boolean }>(
    `select ${isSame('$2', '$3')} as is_same from destinations t where id = $1`,
    [target.id, ...sameOf(target)],
  )
  return rows[0]?.is_same === false
}
