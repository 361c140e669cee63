import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deal } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { readFilterFile, writeFilterFile } from '../features/filters/rules.ts'

test('no address leads out of the folders that are served', async () => {
  const { app } = await buildTestApp()
  const secret = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8')
  const up = [
    '..',
    '%2e%2e',
    '.%2e',
    '%252e%252e',
    '..%5c',
    '..\\',
    '%c0%ae%c0%ae',
    '..;',
    '%2e%2e%2f',
    '..%00',
  ]
  for (const folder of ['/', '/assets/', '/sample-images/', '/api/']) {
    for (const step of up) {
      for (const count of [1, 2, 3, 6]) {
        for (const target of [
          'package.json',
          'server/package.json',
          'etc/passwd',
          '.git/config',
          'sample-deals/deals.json',
        ]) {
          const url = `${folder}${`${step}/`.repeat(count)}${target}`
          const { statusCode, body } = await app.inject({ url })
          expect([url, statusCode >= 400, body === secret || /root:|"deals"|\[core\]/.test(body)]).toEqual([
            url,
            true,
            false,
          ])
        }
      }
    }
  }
  for (const url of ['/sample-images/', '/assets/', '/sample-images', '/.git/config', '/package.json'])
    expect([url, (await app.inject(url)).statusCode]).toEqual([url, 404])
})

test('an imported deal can carry no address that runs, and no title that is more than text', async () => {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const addresses = [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://x.example/1',
    '//evil.example/x.png"onerror="alert(1)',
    'https://user:pass@evil.example/x.png',
    'https://evil.example/x.png"><script>',
    '&#106;avascript:alert(1)',
    'file:///etc/passwd',
    'https://www.amazon.com@evil.example/dp/B0ABCD1234',
  ]
  const rows = addresses.map((address, at) => ({
    asin: `B0ABCD${1000 + at}`,
    title: '<img src=x onerror=alert(1)><b>Lamp</b> <script>alert(1)</script>',
    price: 5,
    availability: 'In stock',
    product_url: address,
    image_url: address,
  }))
  const imported = await app.inject({ method: 'POST', url: '/api/products/import', headers, payload: rows })
  expect(imported.json()).toMatchObject({ created: addresses.length })
  const page = await app.inject({ url: '/api/products?limit=100', headers })
  expect(page.headers['content-type']).toBe('application/json; charset=utf-8')
  for (const deal of page.json<{ items: Deal[] }>().items) {
    expect(deal.product_url).toBe(`https://www.amazon.com/dp/${deal.asin}`)
    expect(deal.image_url ?? 'https://none/').toMatch(/^https?:\/\/[^"<>\s@]+$/)
  }
})

test('no cell of an exported CSV is a formula, and every cell comes back as it was', async () => {
  const begins = ['=', '+', '-', '@', '\t', '\r', "'", "''", '＝', '＠']
  const name = fc.tuple(fc.constantFrom('', ...begins), fc.string({ minLength: 1, maxLength: 20 }))
  fc.assert(
    fc.property(name, ([begin, rest]) => {
      const filter = { category: 'brands' as const, name: `${begin}${rest}x`, code: 'p_89:Acme' }
      const [, line = ''] = writeFilterFile([filter], 'csv').split('\r\n')
      expect(line).toMatch(/^brands,"?(?![=+\-@\t\r＝＋－＠])/)
    }),
  )
  for (const text of ['-20%', "'-20%", "''=1+1", '=cmd|x', '@SUM(1)', "'tis", '＝1', '+1'])
    expect(
      await readFilterFile(writeFilterFile([{ category: 'brands', name: text, code: 'p_89:Acme' }], 'csv')),
    ).toMatchObject([{ name: text }])
})

test('no answer sends a browser to another site', async () => {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const ways = [
    '//evil.example',
    '//evil.example/..',
    '/%2f/evil.example',
    '/\\evil.example',
    '/https://evil.example',
    '/api/docs//evil.example/..',
    '/sample-images//evil.example/',
    '/?next=//evil.example',
    '/api/session?redirect=//evil.example',
  ]
  const hosts = [{}, { host: 'evil.example' }, { 'x-forwarded-host': 'evil.example' }]
  for (const [url, host] of ways.flatMap((way) => hosts.map((one) => [way, one] as const))) {
    const answer = await app.inject({ url, headers: { ...headers, accept: 'text/html', ...host } })
    expect([url, answer.headers.location, answer.statusCode >= 300 && answer.statusCode < 400]).toEqual([
      url,
      undefined,
      false,
    ])
  }
})

test('the server has one client for the web, which knows what may be reached', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  expect(files.length).toBeGreaterThan(100)
  const asking = files.filter((path) => {
    const code = readFileSync(join(root, path), 'utf8')
    return /\bfetch\(|^import (?!type).*from 'node:(http2?|https|dgram|tls)'|from '(undici|axios|got)'|WebSocket\(/m.test(
      code,
    )
  })
  expect(asking).toEqual(['platform/outgoing/checked-connection.ts'])
})
