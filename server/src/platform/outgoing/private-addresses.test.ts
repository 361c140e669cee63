import { beforeEach, describe, expect, test } from 'vitest'
import { startWebServer } from '../../../testing/web-server.ts'
import { checkedConnection } from './checked-connection.ts'
import { makeSafeFetch } from './make-safe-fetch.ts'
import { reachOf, readNetworks } from './public-addresses.ts'
import type { SafeRequest } from './safe-fetch.ts'

const ask: SafeRequest = { limits: { packedBytes: 1_000, bytes: 1_000 } }

// Listens on all of this machine's addresses: whatever way gets through finds somebody there.
const inside = await startWebServer((_, response) => response.end('inside'), '::')
const { port } = inside
beforeEach(() => {
  inside.asked.length = 0
})

/** A name server that says these addresses, one answer after the other; the last one stays. */
function resolving(...answers: string[][]) {
  let asked = 0
  return async () => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

const hosts = [
  // As people write them.
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '0.0.0.0', '0', '10.0.0.1', '172.16.0.1'],
  ...['172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '192.0.0.192'],
  ...['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.1.1.1'],
  ...['240.0.0.1', '255.255.255.255', '168.63.129.16'],
  // As numbers, hexadecimal, octal, with dots at the end, in other digits.
  ...['2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '0x7f.0.0.0x1', '127.0.0.1.'],
  ...[
    '127.0.0.1%2e',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '2852039166',
    '0xa9fea9fe',
    '%31%32%37.0.0.1',
  ],
  // IPv6, and IPv4 in IPv6.
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[::ffff:0:10.0.0.1]'],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::10.0.0.1]', '[64:ff9b:1:a00:0:100::]'],
  ...['[2002:7f00:1::1]', '[2002:c0a8:101::]', '[2001:0:808:808::80ff:fffe]', '[2001:0:a00:1::f7f7:f7f7]'],
  ...['[2001:db8::1]', '[3fff::1]', '[100::1]', '[2001:2::1]', '[2001:10::1]', '[5f00::1]', '[4000::1]'],
  ...['[2606:4700::5efe:10.0.0.1]', '[2606:4700::200:5efe:127.0.0.1]'],
]

describe('no way of writing an address leads inside', () => {
  test.each(hosts)('http://%s', async (host) => {
    const fetch = makeSafeFetch({ allow: [] })
    await expect(fetch(`http://${host}:${port}/`, ask)).rejects.toMatchObject({ failure: 'private' })
    expect(inside.asked).toEqual([])
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', '①②⑦.0.0.1'])('the name %s', async (name) => {
    const fetch = makeSafeFetch({ allow: [] })
    // Not every system knows a name with a dot at its end.
    const refused = { failure: expect.stringMatching(/^(private|name)$/) }
    await expect(fetch(`http://${name}:${port}/`, ask)).rejects.toMatchObject(refused)
    expect(inside.asked).toEqual([])
  })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['fe80::1%lo']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::1']],
    [['not an address']],
  ])('a name with the addresses %j', async (addresses) => {
    const fetch = makeSafeFetch({ allow: [], resolve: resolving(addresses) })
    await expect(fetch(`http://shop.example:${port}/`, ask)).rejects.toMatchObject({ failure: 'private' })
    expect(inside.asked).toEqual([])
  })

  test('a name that is another address when it is asked again', async () => {
    // The first answer is let through and reaches a server that leads back to itself.
    const rebinding = resolving(['127.0.0.2'], ['127.0.0.1'])
    const fetch = makeSafeFetch({ allow: ['127.0.0.2/32'], resolve: rebinding })
    const outside = await startWebServer(
      (_, response) => response.writeHead(302, { location: '/' }).end(),
      '127.0.0.2',
    )
    const address = `http://shop.example:${outside.port}/`
    await expect(fetch(address, ask)).rejects.toMatchObject({ failure: 'private' })
    expect(outside.asked).toHaveLength(1)
  })

  test.each([
    'http://169.254.169.254/latest/',
    '//169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
  ])('a redirect to %s', async (location) => {
    const leading = await startWebServer((_, response) => response.writeHead(302, { location }).end())
    const fetch = makeSafeFetch({ allow: ['127.0.0.1/32'] })
    await expect(fetch(leading.origin, ask)).rejects.toMatchObject({ failure: 'private' })
    expect(leading.asked).toHaveLength(1)
  })

  test.each([
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'unix:/run/a.sock',
    'gopher://127.0.0.1:70/',
    'http://user@shop.example/',
    'http://user:password@shop.example/',
    'http://8.8.8.8:22/',
    'http://8.8.8.8:25/',
    'http://8.8.8.8:1024/',
    'http://[fe80::1%25eth0]/',
    'http://',
    'shop.example/deals',
    `http://shop.example/${'a'.repeat(9_000)}`,
    '',
  ])('%s is none that is asked', async (address) => {
    await expect(makeSafeFetch({ allow: [] })(address, ask)).rejects.toMatchObject({ failure: 'address' })
  })
})

describe('what FETCH_ALLOW names is reached', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1/32'],
    ['127.1', '127.0.0.0/8'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::1]', '::1/128'],
  ])('http://%s with %s', async (host, network) => {
    const response = await makeSafeFetch({ allow: [network] })(`http://${host}:${port}/`, ask)
    expect(response).toMatchObject({ status: 200, isPublic: false })
    response.cancel()
  })

  test('at every port, which public addresses are not', () => {
    const connectTo = (address: string) => () =>
      checkedConnection(new URL(address), {
        ...{
          reach: reachOf(['8.8.8.8/32', '10.0.0.0/8']),
          resolve: resolving([]),
          connectMs: 1_000,
          mayBeAllowed: true,
        },
      }).agent.destroy()
    expect(connectTo('http://8.8.8.8:22/')).not.toThrow()
    expect(connectTo('http://10.0.0.1:22/')).not.toThrow()
    expect(connectTo('http://8.8.4.4:22/')).toThrow(/Only the ports/)
    for (const port of [80, 443, 1025, 8080, 8443, 65535])
      expect(connectTo(`https://8.8.4.4:${port}/`)).not.toThrow()
  })

  test('nothing beside it', () => {
    const reach = reachOf(['192.168.1.0/24', 'fd00::/8'], () => [])
    expect(reach('192.168.1.7')).toEqual({ isPublic: false, isAllowed: true })
    expect(reach('::ffff:192.168.1.7')).toEqual({ isPublic: false, isAllowed: true })
    expect(reach('fd12::1')).toEqual({ isPublic: false, isAllowed: true })
    expect(reach('192.168.2.7')).toEqual({ isPublic: false, isAllowed: false })
    expect(reach('64:ff9b::192.168.1.7')).toEqual({ isPublic: false, isAllowed: false })
  })
})

test.each([
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('%s is public', (address) => {
  expect(reachOf([], () => [])(address)).toEqual({ isPublic: true, isAllowed: false })
})

test.each(['8.8.4.4', '2606:4700:4700::1111', '2606:4700:4700::8888', '::ffff:8.8.4.4', '64:ff9b::8.8.4.4'])(
  '%s is not where this machine has that address, or is in that network',
  (address) => {
    const reach = reachOf([], () => ['8.8.4.4', '2606:4700:4700::1/64'])
    expect(reach(address).isPublic).toBe(false)
    expect(reach('8.8.4.5').isPublic).toBe(true)
  },
)

test('networks are read as they are written, anything else is refused', () => {
  expect(readNetworks('192.168.1.0/24, 127.0.0.1,::1/128,')).toEqual([
    '192.168.1.0/24',
    '127.0.0.1',
    '::1/128',
  ])
  for (const text of [
    'nas',
    '10/8',
    '10.0.0.0/33',
    '::1/129',
    'fe80::1%eth0',
    '10.0.0.1-10.0.0.9',
    '1.2.3.4/5/6',
  ])
    expect([text, readNetworks(text)]).toEqual([text, undefined])
})
