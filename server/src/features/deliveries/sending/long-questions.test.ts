import { longestQuestion } from '@dealdeck/query/limits'
import { expect, test } from 'vitest'
import { makeAlert } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { discordServer } from '../../../../testing/discord-server.ts'
import { makeUser } from '../../../../testing/factories.ts'
import { makeDestination, queueMatch, readDelivery, testOutbox } from '../../../../testing/outbox.ts'
import { pushService } from '../../../../testing/push-service.ts'
import { secretPlaces } from '../../../platform/secret-box.ts'
import { discordKind } from '../kinds/discord/discord.ts'
import { webpush } from '../kinds/webpush/webpush.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const [discord, browser] = [await discordServer(), await pushService()]
const deps = testOutbox(databases, { kinds: [discordKind, webpush] })

async function listOf(question: string, kind: 'discord' | 'webpush', secrets: Record<string, string>) {
  const { id: owner } = await makeUser(databases)
  const destination = await makeDestination(databases, '', { kind, owner_id: null, settings: '{}' })
  const sealed = await deps.secretBox.seal(JSON.stringify(secrets), secretPlaces.destination(destination))
  await databases.durablePool.query('update destinations set secrets = $2 where id = $1', [
    destination,
    sealed,
  ])
  const alert = await makeAlert(databases, { question, destination, owner })
  const hold = { kind: 'list' as const, until: new Date(), collectedFor: null, reason: '' }
  const { id } = await queueMatch(databases, destination, { alertIds: [alert.id], hold })
  await databases.durablePool.query('update saved_searches set is_shared = true where id = $1', [
    alert.searchId,
  ])
  await sendDelivery(deps, id, AbortSignal.timeout(10_000))
  return readDelivery(databases, id)
}

// Of each letter that isn't one of ASCII an address has six signs and more.
test.each(['лампа', 'ランプ'])(
  'a list is sent however long the question of its search is: %s',
  async (word) => {
    const question = `${word} `.repeat(longestQuestion).slice(0, longestQuestion).trim()
    const secrets = { webhook_url: discord.webhookUrl }
    expect(await listOf(question, 'discord', secrets)).toMatchObject({ state: 'sent', status: 200 })
    expect(await listOf(question, 'webpush', browser.secrets)).toMatchObject({ state: 'sent', status: 201 })
    expect(browser.pushes.at(-1)?.bytes).toBeLessThanOrEqual(4_096)
  },
)

test('a list leads to its search where the address isn’t too long for that', async () => {
  await listOf('lamp price:<20', 'discord', { webhook_url: discord.webhookUrl })
  const posted = [...discord.messages.values()].at(-1)
  expect(posted?.payload.content).toContain('https://deals.example/amazon-haul?q=lamp+price%3A%3C20')
})
