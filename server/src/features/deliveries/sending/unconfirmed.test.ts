import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../../../../testing/cleanup.ts'
import { DebianPostgres, hasDebianPostgres } from '../../../../testing/debian-postgres.ts'
import { makeDestination, queueMatch, startOutbox, testOutbox } from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { DatabaseHosts } from '../../../platform/database/database-hosts.ts'
import { awaitExternalDatabase } from '../../../platform/database/external-database.ts'
import { migrate } from '../../../platform/database/migrations.ts'
import { LiveBus } from '../../../platform/live/live-bus.ts'

vi.setConfig({ testTimeout: 60_000 })

test.runIf(hasDebianPostgres)(
  'while no standby confirms anything nothing is sent, and then all of it, once',
  async () => {
    const server = await (await DebianPostgres.make()).start().isUp()
    await awaitExternalDatabase(new DatabaseHosts(server.url), new AbortController().signal)
    await migrate(server.url)
    const databases = openDatabases(server.url, () => undefined)
    whenDone(() => databases.close())
    // It breaks off what waits for too long.
    const log = pino({ level: 'silent' })
    const bus = new LiveBus(databases, log)
    await bus.start()
    whenDone(() => bus.close())
    const { origin, received } = await startReceiver()
    const destination = await makeDestination(databases, origin)
    const queued = [await queueMatch(databases, destination), await queueMatch(databases, destination)]
    await server.query("alter system set synchronous_standby_names = 'gone'")
    await server.query('select pg_reload_conf()')
    startOutbox(testOutbox(databases, { log }))
    // Two waits for a standby: begun and broken off as often, a message is taken for sent.
    await sleep(12_000)
    const states = () => server.query('select state, doubts from deliveries order by id')
    expect(await states()).toEqual(queued.map(() => ({ state: 'queued', doubts: 0 })))
    expect(received).toHaveLength(0)
    await server.query('alter system reset synchronous_standby_names')
    await server.query('select pg_reload_conf()')
    await expect.poll(states, { timeout: 30_000 }).toEqual(queued.map(() => ({ state: 'sent', doubts: 0 })))
    expect(received).toHaveLength(2)
  },
)
