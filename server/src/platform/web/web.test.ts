import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placePaths } from '@dealdeck/contract/places'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { openDatabases } from '../database/database.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { preloadedResponses } from './preloaded-responses.ts'

const program = '<script type="module" src="/assets/start.js"></script>'
const html = `<head><title>Dealdeck</title>${program}</head><body><div id="root"><p>Loading...</p></div>
<link rel="stylesheet" href="/assets/start.css">
</body>`
const manifest = {
  'index.html': { file: 'assets/start.js' },
  '_screens.js': { file: 'assets/screens.js', name: 'screens', imports: ['index.html', '_shell.js'] },
  '_shell.js': { file: 'assets/shell.js' },
  'src/app/feed.tsx': { file: 'assets/feed.js', css: ['assets/feed.css'] },
}
const shells = {
  ...{ login: '<p>Sign in</p>', 'login closed': '<p>Ask</p>' },
  ...{ '/amazon-haul': '<h1>Deals</h1>', '*': '<p>Soon</p>' },
  deal: '<img src="{picture}"><h1>{title}</h1>',
}

/** The application with a web app of a few lines. */
async function buildWithWeb(options: Parameters<typeof buildTestApp>[0] = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-web-'))
  whenDone(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '.vite'))
  await writeFile(join(folder, 'index.html'), html)
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify(manifest))
  await writeFile(join(folder, '.sources'), 'a hash')
  await writeFile(join(folder, '.vite/prerendered-shells.json'), JSON.stringify(shells))
  return buildTestApp({ ...options, webFolder: `${folder}/` })
}

async function open({ app }: TestApp, url: string, headers: Record<string, string> = {}) {
  const response = await app.inject({ url, headers: { accept: 'text/html', ...headers } })
  const { body } = response
  const data = /<script type="application\/json" id="preloaded-responses">(.*)<\/script>/s.exec(body)?.[1]
  // Parsed by hand, as the browser does.
  const answers: Record<string, unknown> | undefined = data === undefined ? undefined : JSON.parse(data)
  return { response, body, answers }
}

const list = '/api/products?sort=newest&max_price=30&limit=50'

test('a page brings what its reader would ask for first, word for word', async () => {
  const testApp = await buildWithWeb()
  await makeDeal(testApp.databases, { title: '</script><script>alert(1)</script><!--', price: 9 })
  const { headers } = await testApp.signIn('user')
  let page = await open(testApp, '/amazon-haul', headers)
  // None while the new deal is judged between two answers, or where a busy machine is late.
  await expect
    .poll(async () => {
      page = await open(testApp, '/amazon-haul', headers)
      return page.answers?.['dealdeck-revision']
    })
    .toMatch(/^[0-9a-f]{8}-\d+$/)
  const { answers: brought, body, response } = page
  const { 'dealdeck-revision': _revision, ...answers } = brought ?? {}
  const ask = async (url: string) => (await testApp.app.inject({ url, headers })).json()
  expect(Object.keys(answers).sort()).toEqual([
    '/api/products/count?max_price=30',
    '/api/products/stats',
    list,
    '/api/session',
    '/api/settings',
  ])
  for (const [address, answer] of Object.entries(answers)) expect(answer).toEqual(await ask(address))
  // The title is in it, and has neither ended the data nor begun a script.
  expect(JSON.stringify(answers)).toContain('alert(1)')
  expect(body.match(/<\/?script|<!--/g)).toEqual(['<script', '</script', '<script', '</script'])
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['content-security-policy']).toContain("script-src 'self'")
})

test("a deal's page brings the deal, its prices and what they say; of one that is not known nothing", async () => {
  const testApp = await buildWithWeb()
  const deal = await makeDeal(testApp.databases, { image_url: 'https://pictures.example/a.jpg' })
  const { headers } = await testApp.signIn('user')
  const { answers, body } = await open(testApp, `/deals/${deal.asin}`, headers)
  const ask = async (url: string) => (await testApp.app.inject({ url, headers })).json()
  const own = [`/api/products/by-asin/${deal.asin}`, `/api/products/${deal.id}/prices`]
  for (const address of own) expect(answers?.[address]).toEqual(await ask(address))
  expect(body).toContain('as="image" href="https://pictures.example/a.jpg"')
  const { answers: none } = await open(testApp, '/deals/B00NOTHING', headers)
  expect(Object.keys(none ?? {}).sort()).toEqual(['/api/session', '/api/settings'])
})

test('a page of a deal shows its picture and title before its program, as they are', async () => {
  const testApp = await buildWithWeb()
  const title = `<b onclick="x">$& {picture} {title} & 'more'`
  const image_url = 'https://pictures.example/a.jpg?a=1&b="2"'
  const drawn = await makeDeal(testApp.databases, { title, image_url })
  const bare = await makeDeal(testApp.databases, { title: 'Bare', image_url: null })
  const { headers } = await testApp.signIn('user')
  const rootOf = async (asin: string) =>
    /<div id="root">(.*?)<\/div>/s.exec((await open(testApp, `/deals/${asin}`, headers)).body)?.[1]
  expect(await rootOf(drawn.asin)).toBe(
    '<img src="https://pictures.example/a.jpg?a=1&amp;b=&quot;2&quot;">' +
      "<h1>&lt;b onclick=&quot;x&quot;>$&amp; {picture} {title} &amp; 'more'</h1>",
  )
  expect(await rootOf(bare.asin)).toBe('<h1>Bare</h1>')
  expect(await rootOf('B00NOTHING')).toBe('<p>Soon</p>')
})

test('a page names the parts of its screen and draws what stands in its place', async () => {
  const testApp = await buildWithWeb()
  const { headers } = await testApp.signIn('user')
  const { body } = await open(testApp, '/amazon-haul', headers)
  const links = [...body.matchAll(/rel="(modulepreload|stylesheet)" href="([^"]+)"/g)].map((link) => link[2])
  expect(links).toEqual([
    ...['/assets/start.css', '/assets/feed.css', '/assets/screens.js', '/assets/feed.js', '/assets/shell.js'],
  ])
  expect(body).toContain('<div id="root"><h1>Deals</h1></div>')
  expect([body.includes(`</title>${program}`), body.includes('<template')]).toEqual([true, false])
  const { asin } = await makeDeal(testApp.databases)
  expect((await open(testApp, `/deals/${asin}`, headers)).body).toContain(`${program}</template></head>`)
  expect((await open(testApp, '/no/such/place', headers)).body).toContain('<div id="root"><p>Soon</p></div>')
})

test('a path of no screen answers 404 with the page, one of a screen 200, however it is written', async () => {
  const testApp = await buildWithWeb()
  const statuses = async (urls: readonly string[], accept = 'text/html') => {
    const requests = urls.flatMap((url) => [{ url }, { url, method: 'HEAD' as const }])
    const all = requests.map(
      async (one) => (await testApp.app.inject({ ...one, headers: { accept } })).statusCode,
    )
    return [...new Set(await Promise.all(all))]
  }
  const screens = [
    ...placePaths.map((path) => path.replace('$asin', 'B00EXAMPLE')),
    ...['/deals/b00example/', '/tools/', '/Tools?keyword=x', '/?tab=profile', '/profile?tab=security'],
  ]
  expect(await statuses(screens)).toEqual([200])
  expect(
    await statuses(['/nothing', '/tools/more', '/deals', '/deals/B00', '/wp-login.php', '/.env']),
  ).toEqual([404])
  const { body, headers } = (await open(testApp, '/nothing')).response
  expect([body.includes('<div id="root"'), headers['cache-control']]).toEqual([true, 'no-store'])
  expect(await statuses(['/nothing', '/tools/more'], '*/*')).toEqual([404])
})

test('what the build says of itself is served to nobody', async () => {
  const testApp = await buildWithWeb()
  for (const url of [
    '/.vite/manifest.json',
    '/.vite/prerendered-shells.json',
    '/%2evite/manifest.json',
    '/.sources',
  ]) {
    for (const accept of ['*/*', 'text/html']) {
      const { statusCode, body } = await testApp.app.inject({ url, headers: { accept } })
      expect([url, statusCode, /app\/feed\.tsx|login closed|a hash/.test(body)]).toEqual([url, 404, false])
    }
  }
})

test('nobody is told nothing but that they are nobody', async () => {
  const testApp = await buildWithWeb()
  await makeDeal(testApp.databases)
  const gone = { cookie: `dealdeck_session=${'x'.repeat(43)}` }
  for (const headers of [{}, gone]) {
    for (const url of ['/', '/amazon-haul', '/tools', '/profile', '/constructor?x']) {
      const { answers, body, response } = await open(testApp, url, headers)
      expect(Object.keys(answers ?? {}).sort()).toEqual(['/api/session', '/api/settings'])
      expect(answers).toMatchObject({ '/api/session': null })
      expect(body).toContain('<div id="root" data-holds="login"><p>Sign in</p></div>')
      expect(response.headers['cache-control']).toBe('no-store')
    }
  }
})

test('where nobody may sign up the login screen is drawn without it', async () => {
  const testApp = await buildWithWeb({ settings: { SIGNUP_MODE: 'closed' } })
  expect((await open(testApp, '/')).body).toContain('<div id="root" data-holds="login"><p>Ask</p></div>')
  const { headers } = await testApp.signIn('user')
  expect((await open(testApp, '/no/such/place', headers)).body).toContain('<div id="root"><p>Soon</p></div>')
})

test('who may not be signed in any more is nobody', async () => {
  const testApp = await buildWithWeb()
  for (const change of [{ status: 'pending' }, { status: 'rejected' }, { is_active: false }] as const) {
    const { headers, user } = await testApp.signIn('admin')
    await testApp.databases.durableDb.updateTable('users').set(change).where('id', '=', user.id).execute()
    expect((await open(testApp, '/', headers)).answers).toMatchObject({ '/api/session': null })
  }
})

test('administrators and users are told apart, and whoever has signed out is nobody', async () => {
  const testApp = await buildWithWeb()
  for (const role of ['admin', 'user'] as const) {
    const { headers } = await testApp.signIn(role)
    expect((await open(testApp, '/', headers)).answers).toMatchObject({ '/api/session': { role } })
    await testApp.app.inject({ method: 'DELETE', url: '/api/session', headers })
    const after = await open(testApp, '/', headers)
    expect(Object.keys(after.answers ?? {}).sort()).toEqual(['/api/session', '/api/settings'])
    expect(after.answers).toMatchObject({ '/api/session': null })
  }
})

test.each([
  ['https://pictures.example/a.jpg?b="><script>', 'https://pictures.example/a.jpg?b=&quot;>&lt;script>'],
  ['http://pictures.example/a.jpg', undefined],
  ['//pictures.example/a.jpg', undefined],
])('the picture of the first deal is fetched along with the program: %s', async (image_url, named) => {
  const testApp = await buildWithWeb()
  await makeDeal(testApp.databases, { price: 9, image_url })
  const { body } = await open(testApp, '/amazon-haul', (await testApp.signIn('user')).headers)
  expect(/as="image" href="([^"]*)"/.exec(body)?.[1]).toBe(named)
})

test('while the database is away the page comes as it is, and nobody is nobody all the same', async () => {
  const direct = await testDatabases()
  const link = await openWeakLink(direct.url)
  const databases = openDatabases(link.url, () => undefined)
  whenDone(async () => {
    await databases.close()
    await link.close()
  })
  const testApp = await buildWithWeb({ databases, log: pino({ level: 'silent' }) })
  const { headers } = await testApp.signIn('user')
  link.freeze()
  // Asked before anybody knows, of a database that doesn't answer, and when everybody does.
  const asked = await open(testApp, '/amazon-haul', headers)
  await expect.poll(() => databases.watch.isAway).toBe(true)
  for (const { body, answers } of [asked, await open(testApp, '/amazon-haul', headers)]) {
    expect(answers).toBeUndefined()
    expect(body).toBe(html)
  }
  expect((await open(testApp, '/')).answers).toMatchObject({ '/api/session': null })
})

test('of one member four pages are made at a time, and the others come without answers when that takes long', async () => {
  const testApp = await buildWithWeb()
  const { headers } = await testApp.signIn('user')
  const turns = async () => {
    const { body } = await testApp.app.inject({ url: '/metrics', headers: { host: 'localhost' } })
    return ['running', 'waiting'].map((state) =>
      Number(new RegExp(`dealdeck_turns\\{gate="views",state="${state}"\\} (\\d+)`).exec(body)?.[1]),
    )
  }
  const held = await testApp.databases.durablePool.connect()
  whenDone(async () => void held.release(true))
  await held.query('begin; lock table deals in access exclusive mode')
  const pages = await Promise.all(Array.from({ length: 12 }, () => open(testApp, '/amazon-haul', headers)))
  expect(new Set(pages.map(({ body }) => body))).toEqual(new Set([html]))
  // What four of them have asked for goes on, the others have asked for nothing.
  expect(await turns()).toEqual([4, 0])
  expect((await open(testApp, '/')).answers).toMatchObject({ '/api/session': null })
  await held.query('rollback')
  await expect.poll(turns).toEqual([0, 0])
})

test('a page leaves nothing running', async () => {
  const testApp = await buildWithWeb()
  const { headers } = await testApp.signIn('user')
  await open(testApp, '/amazon-haul', headers)
  const started = vi.spyOn(globalThis, 'setInterval')
  whenDone(async () => started.mockRestore())
  await open(testApp, '/amazon-haul', headers)
  expect(started).not.toHaveBeenCalled()
})

test('what a page asks for ends when its reader leaves', async () => {
  const app = Fastify()
  await app.register(cookie)
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/api/settings', async (_request, reply) => {
    goneSignal(reply).addEventListener('abort', () => ended.resolve())
    asked.resolve()
    await ended.promise
  })
  const turn = vi.fn()
  const takeTurn = async () => ({ worked: turn, end: turn })
  app.get('/', async (_request, reply) =>
    String(await preloadedResponses(app, reply, undefined, { publicUrl: '', takeTurn })),
  )
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  whenDone(() => app.close())
  const leaves = new AbortController()
  const page = fetch(origin, { signal: leaves.signal })
  page.catch(() => undefined)
  await asked.promise
  leaves.abort()
  await ended.promise
  await expect.poll(() => turn.mock.calls.length).toBe(1)
})
