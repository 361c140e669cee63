import { createServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { canMakeCertificates, makeCertificate } from '../../../testing/certificate.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { startWebServer } from '../../../testing/web-server.ts'
import { makeSafeFetch } from './make-safe-fetch.ts'
import type { SafeRequest, SafeResponse } from './safe-fetch.ts'

const fetch = makeSafeFetch({
  allow: ['127.0.0.0/8'],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
})
const ask: SafeRequest = { limits: { packedBytes: 10_000, bytes: 10_000 } }

async function read({ body }: SafeResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** A header's value as servers send what is no ASCII. */
const inUtf8 = (text: string) => Buffer.from(text).toString('latin1')

/** Leads from path to path, as said: `{ '/a': [301, '/b'] }`; any other path is answered with its name. */
const startLeading = (leads: Record<string, [status: number, location: string]>, host?: string) =>
  startWebServer((request, response) => {
    const [status, location] = leads[request.url ?? ''] ?? []
    if (status !== undefined) response.writeHead(status, { location }).end('elsewhere')
    else response.end(request.url)
  }, host)

describe('of a GET', () => {
  test('three are followed', async () => {
    const server = await startLeading({
      ...{ '/a': [302, 'b'], '/b': [307, '?c'], '/b?c': [303, inUtf8('/d/../caf\u00e9')] },
    })
    const response = await fetch(`${server.origin}/a`, ask)
    expect(response).toMatchObject({ url: `${server.origin}/caf%C3%A9`, movedTo: undefined })
    expect(await read(response)).toBe('/caf%C3%A9')
  })

  test('a fourth is not, nor one that leads to itself for ever', async () => {
    const four = await startLeading({
      '/1': [302, '/2'],
      '/2': [302, '/3'],
      '/3': [302, '/4'],
      '/4': [302, '/5'],
    })
    await expect(fetch(`${four.origin}/1`, ask)).rejects.toMatchObject({ failure: 'redirects' })
    expect(four.asked.map(({ url }) => url)).toEqual(['/1', '/2', '/3', '/4'])
    const forEver = await startLeading({ '/': [301, '/'] })
    await expect(fetch(forEver.origin, ask)).rejects.toMatchObject({ failure: 'redirects' })
    expect(forEver.asked).toHaveLength(4)
  })

  test('the new address is told where all of them are for good', async () => {
    const server = await startLeading({
      '/a': [301, '/b'],
      '/b': [308, '/c'],
      '/x': [301, '/y'],
      '/y': [302, '/z'],
    })
    const movedTo = async (path: string) => {
      const response = await fetch(server.origin + path, ask)
      response.cancel()
      return response.movedTo
    }
    expect(await movedTo('/a')).toBe(`${server.origin}/c`)
    expect(await movedTo('/x')).toBeUndefined()
    expect(await movedTo('/c')).toBeUndefined()
  })

  test('none is followed where none is wanted, or where nothing says where to', async () => {
    const server = await startLeading({ '/a': [302, '/b'] })
    expect(await fetch(`${server.origin}/a`, { ...ask, redirects: 0 })).toMatchObject({ status: 302 })
    const silent = await startWebServer((_, response) => response.writeHead(302).end())
    expect(await fetch(silent.origin, ask)).toMatchObject({ status: 302 })
  })

  test.each([
    ['redirects', 'http://'],
    ['address', 'ftp://127.0.0.1/'],
    ['address', 'http://me:secret@127.0.0.1/'],
  ])('%s: not to %s', async (failure, location) => {
    const server = await startLeading({ '/': [302, location] })
    const error = await fetch(server.origin, ask).catch((error) => error)
    expect(error).toMatchObject({ failure })
    expect(error.message).not.toContain('secret')
  })
})

describe('credentials', () => {
  const secretHeaders = { 'x-key': 'key' }
  const headers = { Authorization: 'Bearer a', cookie: 'b=c', accept: 'text/csv' }

  test('go along within an origin', async () => {
    const server = await startLeading({ '/a': [302, '/b'] })
    await read(await fetch(`${server.origin}/a`, { ...ask, headers, secretHeaders }))
    for (const { headers } of server.asked)
      expect(headers).toMatchObject({
        'x-key': 'key',
        authorization: 'Bearer a',
        cookie: 'b=c',
        accept: 'text/csv',
      })
    expect(server.asked).toHaveLength(2)
  })

  test.each(['127.0.0.1', '127.0.0.2'])(
    'do not go to another origin (%s), nor back from there',
    async (host) => {
      const leads: Record<string, [number, string]> = {}
      const other = await startLeading(leads, host)
      const first = await startLeading({ '/a': [302, `${other.origin}/b`] })
      leads['/b'] = [302, `${first.origin}/c`]
      await read(await fetch(`${first.origin}/a`, { ...ask, headers, secretHeaders }))
      const [asked, askedAgain] = first.asked
      expect(asked?.headers).toMatchObject({ 'x-key': 'key', authorization: 'Bearer a', cookie: 'b=c' })
      for (const request of [other.asked[0], askedAgain]) {
        expect(request?.headers).toMatchObject({ accept: 'text/csv' })
        expect(Object.keys(request?.headers ?? {})).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(x-key|authorization|cookie)$/)]),
        )
      }
    },
  )
})

describe('of a POST', () => {
  const post: SafeRequest = { ...ask, method: 'POST', body: 'a=1' }

  test.each([301, 302, 303, 307, 308])('%i is just an answer', async (status) => {
    const server = await startLeading({ '/a': [status, '/b'] })
    const response = await fetch(`${server.origin}/a`, post)
    expect([response.status, await read(response)]).toEqual([status, 'elsewhere'])
    expect(server.asked).toHaveLength(1)
  })

  test('where they are wanted, only those that send it again are followed, and not to another site', async () => {
    const other = await startLeading({})
    const server = await startLeading({ '/a': [307, '/b'], '/b': [303, '/c'], '/x': [308, other.origin] })
    expect(await fetch(`${server.origin}/a`, { ...post, redirects: 2 })).toMatchObject({ status: 303 })
    expect(server.asked.map(({ url, method }) => [url, method])).toEqual([
      ['/a', 'POST'],
      ['/b', 'POST'],
    ])
    await expect(fetch(`${server.origin}/x`, { ...post, redirects: 2 })).rejects.toMatchObject({
      failure: 'redirects',
    })
    expect(other.asked).toEqual([])
  })
})

describe.runIf(canMakeCertificates)('of https', () => {
  const { key, cert } = canMakeCertificates ? makeCertificate('shop.example') : { key: '', cert: '' }
  const start = async (location?: string) => {
    const server = createServer({ key, cert }, (_, response) =>
      location === undefined ? response.end('secure') : response.writeHead(301, { location }).end(),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    whenDone(async () => {
      server.closeAllConnections()
      server.close()
    })
    const bound = server.address()
    return typeof bound === 'object' && bound ? bound.port : 0
  }

  test('a certificate that nobody vouches for, or for another name, is refused', async () => {
    const port = await start()
    const before = getCACertificates('default')
    await expect(fetch(`https://shop.example:${port}/`, ask)).rejects.toMatchObject({
      failure: 'certificate',
    })
    setDefaultCACertificates([...before, cert])
    whenDone(async () => setDefaultCACertificates(before))
    expect(await read(await fetch(`https://shop.example:${port}/`, ask))).toBe('secure')
    await expect(fetch(`https://other.example:${port}/`, ask)).rejects.toMatchObject({
      failure: 'certificate',
    })
  })

  test('nothing leads to http', async () => {
    const server = await startLeading({})
    const port = await start(`http://shop.example:${server.port}/`)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, cert])
    whenDone(async () => setDefaultCACertificates(before))
    await expect(fetch(`https://shop.example:${port}/`, ask)).rejects.toMatchObject({ failure: 'redirects' })
    expect(server.asked).toEqual([])
  })
})
