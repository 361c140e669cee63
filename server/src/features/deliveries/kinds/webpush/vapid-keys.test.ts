import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../../testing/app.ts'
import { SecretBox } from '../../../../platform/secret-box.ts'
import { vapidKeys } from './vapid-keys.ts'

const settings = { SECRET_KEY: randomBytes(32).toString('base64') }
const { app, databases, signIn } = await buildTestApp({ settings })

const box = (SECRET_KEY: string) => new SecretBox({ SECRET_KEY, SECRET_KEY_OLD: '', DATA_DIR: '/nowhere' })

test('all who need the keys first at once have one pair, which members read half of', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 8 }, () => vapidKeys({ databases, secretBox: box(settings.SECRET_KEY) })),
  )
  expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(1)
  const [pair] = pairs
  expect(Buffer.from(pair?.publicKey ?? '', 'base64url')).toHaveLength(65)
  const { headers } = await signIn('user')
  const answer = await app.inject({ url: '/api/destinations/vapid', headers })
  expect(answer.json()).toEqual({ public_key: pair?.publicKey })
  expect((await app.inject({ url: '/api/destinations/vapid' })).statusCode).toBe(401)
  const kept = await databases.db.selectFrom('secrets').selectAll().where('name', '=', 'vapid').execute()
  expect(kept).toHaveLength(1)
  expect(kept[0]?.value.toString()).not.toContain(pair?.privateKey)
})

test('a process with another key says so, and makes no other pair', async () => {
  const other = box(randomBytes(32).toString('base64'))
  await expect(vapidKeys({ databases, secretBox: other })).rejects.toThrow('SECRET_KEY_OLD')
})
