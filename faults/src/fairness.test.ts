import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Client } from './client.ts'
import { either } from './extent.ts'
import { Installation } from './installation.ts'
import { head, RawConnection } from './raw-connection.ts'
import { restOf, returnsToRest, watched } from './rest.ts'

const deals = either(4_000, 100_000)
const connections = either(60, 200)
const attackMs = either(3_000, 15_000)
const letters = 'abdefhiklmnoprstuw'

/** One member asks on so many connections, again and again, until told to stop; the answers' statuses are counted. */
function attack(client: Client, pathOf: () => string, hangUpMs?: number) {
  const statuses: Record<string, number> = {}
  let isOver = false
  const { host } = new URL(client.origin)
  const one = async () => {
    while (!isOver) {
      const raw = new RawConnection(client.origin)
      raw.socket.write(head(`GET ${pathOf()}`, { host, cookie: client.cookie, connection: 'close' }))
      if (hangUpMs !== undefined) await sleep(hangUpMs)
      else {
        const status = await raw.status()
        statuses[status] = (statuses[status] ?? 0) + 1
        await raw.secondsOpen(30)
      }
      raw.socket.destroy()
    }
  }
  const all = Array.from({ length: connections }, one)
  return async () => {
    isOver = true
    await Promise.all(all)
    return statuses
  }
}

/** What another member sees meanwhile: statuses that are no 200, and the slowest answer. */
async function watch(client: Client, ms: number) {
  const odd: string[] = []
  let slowest = 0
  const end = performance.now() + ms
  for (let turn = 0; performance.now() < end; turn++) {
    const paths = [
      '/api/products?max_price=30',
      '/api/session',
      '/readyz',
      `/api/products?search=kettle&min_price=${turn}`,
    ]
    const path = paths[turn % paths.length] ?? ''
    const begin = performance.now()
    const answer = await client.get(path)
    await answer.arrayBuffer()
    slowest = Math.max(slowest, performance.now() - begin)
    if (answer.status !== 200) odd.push(`${answer.status} ${path}`)
    await sleep(20)
  }
  return { odd, slowest }
}

test(`${connections} requests at once of one member, answered or given up, leave the others and the process in peace`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  await installation.start()
  const boss = await installation.administrator()
  const account = { username: 'greedy', password: 'correct horse' }
  await boss.change('POST', '/api/users', { ...account, role: 'user' })
  const rows = Array.from({ length: deals }, (_, n) => ({
    asin: `B0F${n.toString(36).toUpperCase().padStart(7, '0')}`,
    title: `Enamel kettle ${letters[n % 18]}${letters[(n >> 4) % 18]}${letters[(n >> 8) % 18]} number ${n}`,
    price: 1 + (n % 3_000) / 100,
    availability: 'In stock',
  }))
  expect((await boss.import(rows)).kind).toBe('acknowledged')
  const greedy = await new Client(installation.origin).signIn(account)
  const letter = () => letters[Math.floor(Math.random() * letters.length)]
  const searches = () =>
    `/api/products?limit=1000&sort=discord&search=${letter()}${letter()}&min_price=${(Math.random() * 30).toFixed(2)}`
  const pages = () => `/api/products?limit=1000&min_price=${(Math.random() * 30).toFixed(2)}`

  // As a process that has been at work: its heap has the room that it keeps.
  await attack(greedy, pages)()
  await watch(boss, attackMs / 3)
  const before = await restOf(installation)
  const attacks = { searches: attack.bind(null, greedy, searches), pages: attack.bind(null, greedy, pages) }
  for (const [name, begin] of Object.entries({
    ...attacks,
    'searches given up': () => attack(greedy, searches, 50),
  })) {
    const stop = begin()
    const { odd, slowest } = await watch(boss, attackMs)
    const statuses = await stop()
    console.log(`${name}: slowest answer to another ${Math.round(slowest)} ms; ${JSON.stringify(statuses)}`)
    expect(odd).toEqual([])
    expect(Object.keys(statuses).filter((status) => status !== '200' && status !== '429')).toEqual([])
    expect(slowest).toBeLessThan(5_000)
  }
  console.log(`at rest: ${await returnsToRest(installation, before)}`)
  expect(installation.process?.output).not.toMatch(/"level":[56]0/)
})
