import { placePaths } from '@dealdeck/contract/places'
import type { BrowserContext, Page, Request } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { openFeed, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

/** Six is what a browser opens to one host over HTTP/1.1, for all its tabs together. */
const connections = 6
/** The screens that show what changes at once. */
const live: string[] = ['/', '/amazon-haul', '/deals/$asin', '/tools', '/filters', '/brands']

/** The pages of a context that have a stream open, the most that one of them had at once, and all that was asked for. */
function watchStreams(context: BrowserContext) {
  const asked: URL[] = []
  const seen = { open: new Set<Page>(), most: 0, asked }
  const watch = (page: Page) => {
    const streams = new Set<Request>()
    const change = () => {
      seen.most = Math.max(seen.most, streams.size)
      if (streams.size > 0) seen.open.add(page)
      else seen.open.delete(page)
    }
    const over = (request: Request) => streams.delete(request) && change()
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (!url.pathname.endsWith('/events')) return
      seen.asked.push(url)
      streams.add(request)
      change()
    })
    page.on('requestfinished', over)
    page.on('requestfailed', over)
    page.on('close', () => seen.open.delete(page))
  }
  for (const page of context.pages()) watch(page)
  context.on('page', watch)
  return seen
}

/** Says to a page that it is looked at, or not any more; in this browser all are. */
function turn(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  return page.evaluate((visibilityState) => {
    Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

async function openTabs(page: Page, count: number): Promise<Page[]> {
  const tabs = [page]
  while (tabs.length < count) tabs.push(await page.context().newPage())
  await openFeed(page)
  await Promise.all(tabs.slice(1).map((tab) => openFeed(tab)))
  return tabs
}

const arrivals = (page: Page, count: number) => expect(toast(page)).toContainText(`${count} new,`)

test.describe('as an administrator', () => {
  test.use({ role: 'admin' })

  test('a tab has one stream whatever it shows', async ({ page, importDeals }) => {
    await importDeals([dealRow({ asin: 'B00EXAMPLE' }), ...dealRows(2)])
    const streams = watchStreams(page.context())
    for (const path of placePaths) {
      await page.goto(path.replace('$asin', 'B00EXAMPLE'))
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
      // Where nothing changes by itself none is needed.
      if (live.includes(path)) await expect.poll(() => [path, streams.open.size]).toEqual([path, 1])
    }
    expect(streams.most).toBe(1)
    expect(new Set(streams.asked.map(({ pathname }) => pathname))).toEqual(new Set(['/api/events']))
  })

  test('from screen to screen a tab keeps its stream', async ({ page, importDeals }) => {
    await importDeals(dealRows(3))
    const streams = watchStreams(page.context())
    await openFeed(page)
    const screens = { 'Link Generator': '/tools', Home: '/', Deals: '/amazon-haul' }
    for (const [name, path] of Object.entries(screens)) {
      await page.getByRole('banner').getByRole('link', { name, exact: true }).click()
      await expect(page).toHaveURL(new RegExp(`${path}$`))
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    }
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    expect([streams.open.size, streams.asked.length]).toEqual([1, 1])
  })
})

test('with more tabs open than a browser has connections another one loads, and all receive', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(3))
  const { open, asked } = watchStreams(page.context())
  const tabs = await openTabs(page, connections + 1)
  expect(open.size).toBe(1)
  await importDeals([dealRow()])
  for (const tab of tabs) await arrivals(tab, 1)
  // The one that has the stream goes, and the others go on without a gap.
  const [first, ...rest] = tabs
  await first?.close()
  await expect.poll(() => open.size).toBe(1)
  await importDeals(dealRows(2))
  for (const tab of rest) await arrivals(tab, 3)
  expect(asked.map(({ search }) => /^(\?last_event_id=\w+-\d+)?$/.test(search))).toEqual([true, true])
  expect(asked[1]?.search).not.toBe('')
})

test('a tab that is looked at takes the stream from one that is not; what came meanwhile is there', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(3))
  const { open } = watchStreams(page.context())
  const [one, two] = await openTabs(page, 2)
  if (!one || !two) throw new Error('two tabs were opened')
  expect([...open]).toEqual([one])
  await turn(one, 'hidden')
  await expect.poll(() => [...open]).toEqual([two])
  await importDeals([dealRow()])
  for (const tab of [one, two]) await arrivals(tab, 1)
  await turn(two, 'hidden')
  await turn(one, 'visible')
  await expect.poll(() => [...open]).toEqual([one])
  await importDeals([dealRow()])
  for (const tab of [one, two]) await arrivals(tab, 2)
})

test('a tab that the browser has put to sleep gives up the stream and catches up when it wakes', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(3))
  const [one, two] = await openTabs(page, 2)
  if (!one || !two) throw new Error('two tabs were opened')
  await turn(two, 'hidden')
  await turn(one, 'hidden')
  const devtools = await one.context().newCDPSession(one)
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
  await turn(two, 'visible')
  await importDeals([dealRow()])
  await arrivals(two, 1)
  await importDeals([dealRow()])
  await arrivals(two, 2)
  await devtools.send('Page.setWebLifecycleState', { state: 'active' })
  await turn(one, 'visible')
  await arrivals(one, 2)
})

test('without locks, as over plain HTTP, a tab lets go when nobody looks and catches up when somebody does', async ({
  page,
  importDeals,
}) => {
  await page.context().addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }))
  await importDeals(dealRows(3))
  const { open, asked } = watchStreams(page.context())
  const tabs: Page[] = []
  while (tabs.length < connections) {
    const tab = tabs.length === 0 ? page : await page.context().newPage()
    await openFeed(tab)
    await turn(tab, 'hidden')
    tabs.push(tab)
  }
  await expect.poll(() => open.size).toBe(0)
  const last = await page.context().newPage()
  await openFeed(last)
  await importDeals(dealRows(2))
  await arrivals(last, 2)
  await turn(last, 'hidden')
  await turn(page, 'visible')
  await arrivals(page, 2)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  expect(asked.at(-1)?.search).toMatch(/^\?last_event_id=/)
})
