import webPush from 'web-push'
import { z } from 'zod'
import type { Databases } from '../../../../platform/database/database.ts'
import { type SecretBox, secretPlaces } from '../../../../platform/secret-box.ts'

const name = 'vapid'
const pairSchema = z.object({ publicKey: z.string(), privateKey: z.string() })
export type VapidKeys = z.infer<typeof pairSchema>

type Deps = { databases: Pick<Databases, 'durableDb'>; secretBox: SecretBox }

/**
 * The keys by which push services know this installation, made at first need; both as base64url. All processes have the same pair:
 * browsers subscribe to the public one, and are reached by no other. Throws a SecretError when they can't be opened.
 */
export async function vapidKeys(deps: Deps): Promise<VapidKeys> {
  // Of two processes that made a pair each, both go on with the one that was kept.
  const sealed = (await readSealed(deps)) ?? (await keepNew(deps)) ?? (await readSealed(deps))
  if (sealed === undefined) throw new Error('The keys of web push can’t be kept.')
  return pairSchema.parse(JSON.parse(await deps.secretBox.open(sealed, secretPlaces.vapid())))
}

async function readSealed({ databases }: Deps): Promise<string | undefined> {
  const rows = databases.durableDb.selectFrom('secrets').select('value').where('name', '=', name)
  return (await rows.executeTakeFirst())?.value.toString()
}

/** Undefined where there is a pair meanwhile. */
async function keepNew({ databases, secretBox }: Deps): Promise<string | undefined> {
  const sealed = await secretBox.seal(JSON.stringify(webPush.generateVAPIDKeys()), secretPlaces.vapid())
  const row = await databases.durableDb
    .insertInto('secrets')
    .values({ name, value: Buffer.from(sealed) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('value')
    .executeTakeFirst()
  return row?.value.toString()
}
