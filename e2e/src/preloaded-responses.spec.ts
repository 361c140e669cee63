import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { holdBack, program } from './hold-back.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

/** What the page's program asks of the server, from now on. */
function asked(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(pathname)
  })
  return asked
}

for (const { path, never, shown } of [
  { path: '/amazon-haul', never: ['/api/products', '/api/products/stats'], shown: 'Lamp number 1' },
  { path: '/', never: ['/api/products', '/api/products/stats', '/api/home'], shown: 'Lamp number 1' },
  { path: '/tools', never: [], shown: 'Link Generator' },
]) {
  test(`${path} is drawn from what the page brought along`, async ({ page, importDeals }) => {
    await importDeals(dealRows(3, { title: 'Lamp number 1' }))
    await page.goto(path)
    await expect(page.getByText(shown).first()).toBeVisible()
    const questions = asked(page)
    await page.clock.install()
    const stream = page.waitForResponse('**/api/events*')
    await page.reload()
    await expect(page.getByText(shown).first()).toBeVisible()
    // The stream begins where the page was made, so nothing has to be looked at again.
    expect((await stream).url().includes('last_event_id=')).toBe(never.length > 0)
    await page.clock.runFor(2_000)
    expect(questions.filter((path) => ['/api/session', '/api/settings', ...never].includes(path))).toEqual([])
    // Read and gone, so nothing private stays behind in the document.
    await expect(page.locator('script[type="application/json"]')).toHaveCount(0)
  })

  test(`${path} names all of its program at once`, async ({ page, importDeals }) => {
    await importDeals(dealRows(3))
    const scripts: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) scripts.push(pathname)
    })
    const html = (await (await page.goto(path))?.text()) ?? ''
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expect(page.locator('#root [aria-busy="true"]')).toHaveCount(0)
    expect(scripts.length).toBeGreaterThan(2)
    // Those that are only fetched for later come after all of these.
    for (const script of scripts) expect(html).toContain(`"${script}"`)
  })
}

for (const isPreloaded of [true, false])
  test(`what came between the list and the stream is ${isPreloaded ? 'new to a reader whose page brought the list' : 'in a list that the program asked for'}`, async ({
    page,
    importDeals,
  }) => {
    await importDeals(dealRows(3, { price: 10 }))
    if (!isPreloaded) await withoutPreloadedResponses(page)
    let isHeld = true
    await page.route('**/api/events*', async (route) => {
      if (isHeld) {
        await expect(cards(page)).toHaveCount(3)
        await importDeals([dealRow({ title: 'Arrived between', price: 10 })])
      }
      isHeld = false
      await route.continue()
    })
    await openFeed(page)
    // Nothing moves under somebody who reads already.
    if (isPreloaded)
      await toast(page)
        .getByRole('button', { name: /New Deals Available!/ })
        .click()
    await expect(card(page, 'Arrived between')).toBeVisible()
  })

test('the filters leave the line to the deals, and come all the same', async ({ page, importDeals }) => {
  await importDeals(dealRows(3, { title: 'Lamp number 1' }))
  const asked = page.waitForResponse('**/api/amazon_filters*')
  await page.goto('/')
  await expect(page.getByText('Lamp number 1').first()).toBeVisible()
  expect((await asked).ok()).toBe(true)
  const begun = await page.evaluate(
    () =>
      performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/amazon_filters'))
        ?.startTime,
  )
  expect(begun).toBeGreaterThan(1_000)
})

test("a deal's picture and title are there before the program, and stay where they are", async ({
  page,
  importDeals,
}) => {
  const deal = dealRow({ title: `Copper kettle ${'with a lid and a handle '.repeat(6)}` })
  await importDeals([deal])
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(viewport)
    const release = await holdBack(page, program)
    await page.goto(`/deals/${deal.asin}`, { waitUntil: 'commit' })
    const parts = [page.getByRole('heading', { level: 1 }), page.locator('article img').first()]
    const boxes = () => Promise.all(parts.map((part) => part.boundingBox()))
    await expect(page.getByRole('status')).toHaveText('Loading...')
    await expect
      .poll(() => parts[1]?.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    const before = await boxes()
    release()
    await expect(page.getByRole('link', { name: 'Open in shop' })).toBeVisible()
    expect(await boxes()).toEqual(before)
    await page.unroute(program)
  }
})

test('a deal called like the end of a script is a deal', async ({ page, importDeals }) => {
  const title = '</script><script>document.title = "run"</script><!-- lamp'
  await importDeals([dealRow({ title })])
  await page.goto('/amazon-haul')
  await expect(page.getByText(title)).toBeVisible()
  await expect(page).toHaveTitle('Deals · Dealdeck')
})

test('signed out, neither Back nor a reload shows what was there', async ({ page, importDeals }) => {
  await importDeals([dealRow({ title: 'Private lamp' })])
  await page.goto('/amazon-haul')
  await expect(page.getByText('Private lamp')).toBeVisible()
  await page.goto('/tools')
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign Out' }).click()
  const login = page.getByRole('heading', { name: 'Sign in' })
  await expect(login).toBeVisible()
  await page.goBack()
  await expect(login).toBeVisible()
  await expect(page.getByText('Private lamp')).toHaveCount(0)
  await page.reload()
  await expect(login).toBeVisible()
  expect(await page.content()).not.toContain('Private lamp')
})

test('whoever signs in after somebody else is asked for anew', async ({ page, openContext }) => {
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Sign Out' })).toBeVisible()
  const other = await openContext('admin')
  const [cookie] = await other.cookies()
  if (cookie) await page.context().addCookies([cookie])
  await page.reload()
  await expect(page.getByRole('link', { name: /^Admin/ })).toBeVisible()
})

test.describe('a program that can not be fetched', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED|dynamically imported module/] })

  test('is said to be missing', async ({ page }) => {
    await page.route('**/assets/screens-*.js', (route) => route.abort())
    await page.goto('/amazon-haul')
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
    await page.unroute('**/assets/screens-*.js')
    await page.getByRole('button', { name: 'Refresh Page' }).click()
    await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  })
})

test.describe('nobody', () => {
  test.use({ role: null })

  test('the login screen stands before its program, and keeps what was typed', async ({ page, server }) => {
    const release = await holdBack(page, program)
    await page.goto('/amazon-haul', { waitUntil: 'commit' })
    const username = page.getByLabel('Username')
    await username.fill(server.accounts.user.username)
    const password = page.getByLabel('Password', { exact: true })
    await password.fill(server.accounts.user.password)
    release()
    const signIn = page.getByRole('button', { name: 'Sign In' })
    await expect(signIn).toBeEnabled()
    await expect(username).toHaveValue(server.accounts.user.username)
    await signIn.click()
    await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  })

  test('is asked nothing and told nothing', async ({ page, importDeals }) => {
    await importDeals([dealRow({ title: 'Private lamp' })])
    const questions = asked(page)
    const response = await page.goto('/amazon-haul')
    await expect(page).toHaveTitle('Sign in · Dealdeck')
    expect(await response?.text()).not.toContain('Private lamp')
    expect(questions).toEqual([])
  })

  test.describe('in the dark', () => {
    test.use({ colorScheme: 'dark' })

    test('no light page is painted first', async ({ page }) => {
      const release = await holdBack(page, program)
      await page.goto('/', { waitUntil: 'commit' })
      const heading = page.getByRole('heading', { name: 'Sign in' })
      await expect(heading).toBeVisible()
      const colours = () =>
        page.evaluate(() => [
          getComputedStyle(document.body).backgroundColor,
          ...[...document.querySelectorAll('h1, label, input')].map((part) => getComputedStyle(part).color),
        ])
      const before = await colours()
      expect(before[0]).toBe('rgb(18, 23, 21)')
      release()
      await expect(page).toHaveTitle('Sign in · Dealdeck')
      expect(await colours()).toEqual(before)
    })
  })
})
