import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { either } from './extent.ts'
import { Installation } from './installation.ts'
import { Workload } from './workload.ts'

const kills = either(3, 50)

test(`${kills} kill -9 of the application during imports and edits lose nothing and leave nothing half done`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off' })
  const workload = new Workload(installation, either([9_000], [4_500, 9_000]))
  await installation.start()
  await workload.signIn()
  for (let kill = 1; kill <= kills; kill++) {
    const ended = new AbortController()
    const running = workload.run(ended.signal)
    // However slow the machine is, something has been acknowledged that could be lost.
    if (kill === 1)
      await expect.poll(() => workload.acknowledged.imports, { timeout: 60_000 }).toBeGreaterThan(0)
    await sleep(300 + Math.random() * 2_500)
    expect(await installation.end('SIGKILL')).toBe('SIGKILL')
    ended.abort()
    await running
    // No hand is laid on anything in between.
    await installation.start()
    expect(await workload.check(), `after kill ${kill}`).toEqual([])
    await workload.complete()
  }
  const { imports, edits } = workload.acknowledged
  expect(imports).toBeGreaterThan(kills)
  expect(edits).toBeGreaterThan(kills)
  expect(await installation.end()).toBe(0)
  expect(installation.servers()).toEqual([])
  console.log(`${kills} kills: ${imports} imports and ${edits} edits were acknowledged, none was lost`)
})
