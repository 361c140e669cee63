import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { either } from './extent.ts'
import { Imports } from './imports.ts'
import { Installation } from './installation.ts'
import { firstOf, serverProcesses } from './server-processes.ts'
import { StreamReader } from './stream-reader.ts'
import { Workload } from './workload.ts'

const kills = either(2, 20)

test(`${kills} kill -9 of the database during imports and edits: it comes back by itself and nothing is lost`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  const workload = new Workload(installation, either([9_000], [4_500, 9_000]), true)
  await installation.start()
  await workload.signIn()
  const { pid } = installation.process?.child ?? {}
  for (let kill = 1; kill <= kills; kill++) {
    const ended = new AbortController()
    const running = workload.run(ended.signal)
    await sleep(500 + Math.random() * 1_500)
    const server = firstOf(installation.servers())
    // In turn the server, which leaves its children behind, and one of the children, upon which the server ends the others.
    process.kill(kill % 2 === 1 ? server : firstOf(serverProcesses(server)), 'SIGKILL')
    await sleep(1_000)
    ended.abort()
    await running
    await installation.isReady()
    expect(await workload.check(), `after kill ${kill}`).toEqual([])
    await workload.complete()
  }
  // The application has seen all of it and lives.
  expect(installation.process?.child.pid).toBe(pid)
  expect(installation.process?.child.exitCode).toBeNull()
  const { imports, edits } = workload.acknowledged
  expect(imports + edits).toBeGreaterThan(kills)
  expect(await installation.end()).toBe(0)
  expect(installation.servers()).toEqual([])
  console.log(`${kills} kills: ${imports} imports and ${edits} edits were acknowledged, none was lost`)
})

const shownKills = either(1, 10)

test(`${shownKills} kill -9 of the database as soon as an import shows: whoever saw what it took back is told`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  await installation.start()
  const client = await installation.administrator()
  const imports = new Imports('S', 9_000)
  const reader = new StreamReader()
  for (let kill = 1; kill <= shownKills; kill++) {
    const ended = new AbortController()
    // The server ends all its other processes with the one, and with them goes what they have not written down.
    reader.onEvent = () => {
      reader.onEvent = () => {}
      process.kill(firstOf(serverProcesses(firstOf(installation.servers()))), 'SIGKILL')
    }
    const reading = reader.run(client, ended.signal)
    await imports.once(client)
    await sleep(500)
    ended.abort()
    await reading
    await installation.isReady()
    expect(reader.count).toBeGreaterThan(0)
    expect([...(await reader.check(installation, client)), ...(await imports.check(installation))]).toEqual(
      [],
    )
    await imports.complete(client)
  }
})
