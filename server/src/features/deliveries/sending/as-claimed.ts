import type { Databases } from '../../../platform/database/database.ts'

type Settings = { id: number; settings: Record<string, unknown>; secrets: string | null }

/**
 * That a destination `t` has the settings and secrets that it was claimed with, in SQL: its owner may enter another address while an answer
 * is awaited, and what the old one says doesn't hold for the new one. What is given are parameters with the values of `claimedWith`, or columns of such rows.
 */
export const isAsClaimed = (settings: string, secrets: string) =>
  `t.settings = ${settings}::jsonb and t.secrets is not distinct from ${secrets}::text`

/** What a destination is sent to with. */
export const claimedWith = ({ settings, secrets }: Omit<Settings, 'id'>) => [
  JSON.stringify(settings),
  secrets,
]

/** Whether a destination is another one than it was when it was claimed. */
export async function hasChanged({ durablePool }: Databases, target: Settings): Promise<boolean> {
  const { rows } = await durablePool.query<{ is_same: boolean }>(
    `select ${isAsClaimed('$2', '$3')} as is_same from destinations t where id = $1`,
    [target.id, ...claimedWith(target)],
  )
  return rows[0]?.is_same === false
}
