import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { noteProxies } from './proxy-notice.ts'

type Request = { from: string; headers: Record<string, string> }

/** What is said in the log when these requests come. */
async function warnings(settings: Partial<Parameters<typeof noteProxies>[1]>, requests: Request[]) {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => lines.push(line) } } })
  noteProxies(app, { PUBLIC_URL: '', TRUSTED_PROXIES: ['loopback'], ...settings })
  app.get('/', () => 'hello')
  for (const { from, headers } of requests) await app.inject({ url: '/', remoteAddress: from, headers })
  await app.close()
  return lines.map((line) => JSON.parse(line)).map(({ msg, proxy }) => `${proxy}: ${msg.slice(0, 50)}`)
}

const silent = 'A proxy passes requests on without X-Forwarded-For'
const foreign = 'Requests with X-Forwarded-For come from an address'
const publicUrl = { PUBLIC_URL: 'https://deals.example' }
const proto = { 'x-forwarded-proto': 'https' }
const address = { 'x-forwarded-for': '203.0.113.9' }

test('a proxy that tells no address is warned of once', async () => {
  const request = { from: '127.0.0.1', headers: proto }
  expect(await warnings({}, [request, request])).toEqual([`127.0.0.1: ${silent}`])
  expect(await warnings({}, [{ from: '::ffff:127.0.0.1', headers: { via: '1.1 proxy' } }])).toHaveLength(1)
  const nonsense = { ...proto, 'x-forwarded-for': 'unknown' }
  expect(await warnings({}, [{ from: '127.0.0.1', headers: nonsense }])).toHaveLength(1)
  const trusted = { TRUSTED_PROXIES: ['loopback', '10.0.0.0/8'] }
  expect(await warnings(trusted, [{ from: '10.1.2.3', headers: proto }])).toEqual([`10.1.2.3: ${silent}`])
})

test('so is one that adds nothing at all, where users come by another name', async () => {
  const request = { from: '127.0.0.1', headers: { host: 'deals.example' } }
  expect(await warnings(publicUrl, [request])).toEqual([`127.0.0.1: ${silent}`])
})

test('and one that tells addresses but is not believed', async () => {
  const request = { from: '172.18.0.1', headers: { ...proto, ...address } }
  expect(await warnings(publicUrl, [request, request])).toEqual([`172.18.0.1: ${foreign}`])
})

test('nobody is warned of a proxy that does as it should, nor of a request without one', async () => {
  const requests: Request[] = [
    { from: '127.0.0.1', headers: { ...proto, ...address } },
    { from: '127.0.0.1', headers: { host: '127.0.0.1:3000' } },
    { from: '203.0.113.9', headers: { ...proto, ...address } },
    { from: '192.168.1.5', headers: {} },
  ]
  expect(await warnings(publicUrl, requests)).toEqual([])
})
