import fc from 'fast-check'

export type MalformedRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}

/** What can be asked for beside the contract's routes. */
export const plainPaths = [
  '/api/events',
  '/api/events?last_event_id=0-x',
  '/api/products/events',
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/openapi.json',
  '/api/docs',
  '/',
  '/feeds/x.atom',
  `/feeds/${'x'.repeat(43)}.json`,
  '/assets/x.js',
  '/api/nothing',
]

/** What never becomes a request, or not the one it says: each is refused in the one shape. */
export const unreadable = [
  'nonsense\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /\0 HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n',
  'GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(3_000)}\r\n`,
  'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"a":',
  'POST /api/session HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'POST /api/session HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n',
  'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]

/** Names the application looks for; values under them get past the first check and into the next one. */
const queryNames = [
  'sort',
  'min_price',
  'max_price',
  'prime_only',
  'today',
  'last_24_hours',
  'search',
  'q',
  'limit',
  'cursor',
  'include_hidden',
  'time_zone',
  'dry_run',
  'map',
  'availability',
  'destination',
  'deal',
  'alert',
  'all',
]
const bodyNames = [
  'username',
  'password',
  'name',
  'role',
  'id',
  '__proto__',
  'constructor',
  'asin',
  'title',
  'price',
  'kind',
  'settings',
  'secrets',
  'destination_id',
  'search_id',
  'options',
  'time_zone',
  'paused_until',
  'code',
]

const nasty = fc.constantFrom(
  '',
  '\0',
  "'; drop table deals; --",
  '%',
  '\\',
  '../../etc/passwd',
  '-1',
  '1e999',
  'NaN',
  '99999999999999999999',
  '0x10',
  'true',
  'null',
  '[object Object]',
  '\ud800',
  '‮',
  'ﬃ',
  'İ'.repeat(300),
  'a'.repeat(5000),
  'eyJhIjoxfQ',
)
const text = fc.oneof(
  { weight: 2, arbitrary: nasty },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string(),
)

const path = (template: string) =>
  fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: fc.constant('1') }, text),
      fc.constantFrom('', '', '', '/', '//', '/%', '/..', ';x', '%00'),
    )
    .map(([value, end]) => template.replace(/\{\w+\}/g, encode(value)) + end)

const query = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...queryNames), text), text), { maxLength: 4 })
      .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')),
  },
  fc.constantFrom(
    '',
    '%',
    '%E0%A4',
    'limit[]=1',
    'limit=1&limit=2',
    '__proto__[x]=1',
    'sort=newest&cursor=%00',
    '&&==&',
  ),
)

const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-7',
      'application/x-ndjson',
      'text/csv',
      'text/plain',
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'nonsense',
      ';;',
    ),
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity', 'zstd', 'gzip, gzip'),
    accept: fc.constantFrom('text/html', 'application/json', 'text/event-stream', '*/*', ';;q=x'),
    'accept-encoding': fc.constantFrom('gzip', 'br;q=0', 'nonsense'),
    'if-none-match': fc.constantFrom('*', '"', 'W/"x"'),
    'last-event-id': fc.constantFrom('', '-1', '1e9', '99999999999999999999999', 'x', '0'),
    range: fc.constantFrom('bytes=0-1', 'bytes=9-1', 'x'),
    'x-forwarded-for': fc.constantFrom('127.0.0.1', '::1', 'x', '203.0.113.9, 127.0.0.1'),
  },
  { requiredKeys: [] },
)

const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc
    .dictionary(fc.oneof(fc.constantFrom(...bodyNames), fc.string()), fc.oneof(text, fc.jsonValue()))
    .map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '[]',
    '{}',
    'null',
    '"',
    '{"a":',
    '['.repeat(5000),
    '{"__proto__":{"x":1}}',
    '[[[]]]',
    '[1,null,{}]',
    '\uFEFF[]',
  ),
)
const payload = fc.option(
  fc.oneof(
    { weight: 3, arbitrary: json },
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('asin,title,price\n', 'a;b\n"', '{"asin":"B000000001"}\n{', '\n\n\n', 'x'.repeat(70_000)),
  ),
  { nil: undefined },
)

/** Requests that no well-meaning client sends, to the routes given and near them. */
export function malformedRequest(routes: { method: string; path: string }[]): fc.Arbitrary<MalformedRequest> {
  return fc
    .constantFrom(...routes)
    .chain((route) =>
      fc.tuple(
        fc.oneof(
          { weight: 5, arbitrary: fc.constant(route.method) },
          fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
        ),
        path(route.path),
        query,
        headers,
        payload,
      ),
    )
    .map(([method, where, search, head, body]) => ({
      // Both sources of the method hold names of this union only.
      method: method as MalformedRequest['method'],
      url: search === '' ? where : `${where}?${search}`,
      headers: head,
      payload: method === 'GET' || method === 'HEAD' ? undefined : body,
    }))
}

/** Percent-encoding that also takes lone surrogates, which encodeURIComponent refuses. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
