import type { BrowserContext, Page, Worker } from '@playwright/test'
import { expect, test } from './fixtures.ts'

test.use({ serviceWorkers: 'allow' })

/** Opens a page whose service worker is at work, and hands over what delivers pushes to it. */
async function subscribed(page: Page, context: BrowserContext, origin: string) {
  await context.grantPermissions(['notifications'])
  const session = await context.newCDPSession(page)
  const registration = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations.filter(
        ({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted,
      )
      if (first) resolve(first.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  await page.goto('/profile')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const registrationId = await registration
  const push = (data: string) =>
    session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  const [worker] = context.serviceWorkers()
  if (worker && !(await showsNotifications(page))) await keepNotifications(worker)
  const shown = () =>
    worker?.evaluate(async () => {
      // A worker's own, which no type of a page has.
      const registration: ServiceWorkerRegistration = Reflect.get(globalThis, 'registration')
      const notifications = await registration.getNotifications()
      return notifications.map(({ title, body, tag, silent, data }) => ({ title, body, tag, silent, data }))
    })
  return { push, shown }
}

/** A headless shell has none to show, whatever a test allows. */
const showsNotifications = (page: Page) => page.evaluate(() => Notification.permission === 'granted')

/** Keeps what a worker shows, one of each tag, where the browser doesn't. */
const keepNotifications = (worker: Worker) =>
  worker.evaluate(() => {
    const shown: { title: string; tag: string; body?: string; silent?: boolean | null; data?: unknown }[] = []
    Object.assign(Reflect.get(globalThis, 'registration'), {
      async showNotification(title: string, { tag = '', ...options }: NotificationOptions) {
        const at = shown.findIndex((other) => tag !== '' && other.tag === tag)
        shown.splice(at < 0 ? shown.length : at, 1, { title, tag, ...options })
      },
      getNotifications: async () => shown,
    })
  })

/** A push as the server sends it. */
const declarative = (notification: object) => JSON.stringify({ web_push: 8030, notification })
const deal = { title: '$9.99', body: 'Folding lantern', tag: 'deal-1', silent: false }

test('a push always shows a notification, and a newer one of the same deal takes its place', async ({
  page,
  context,
  server,
}) => {
  const { push, shown } = await subscribed(page, context, server.origin)
  const navigate = `${server.origin}/deals/B000000001`
  await push(declarative({ ...deal, navigate }))
  await expect.poll(shown).toEqual([{ ...deal, data: { navigate } }])
  await push(declarative({ ...deal, title: 'Ended: $9.99', silent: true, navigate }))
  await expect.poll(shown).toMatchObject([{ title: 'Ended: $9.99', silent: true }])
  await push('not JSON')
  await expect
    .poll(async () => (await shown())?.map(({ title }) => title).sort())
    .toEqual(['Dealdeck', 'Ended: $9.99'])
  await push(declarative({}))
  await push('')
  await expect.poll(async () => (await shown())?.length).toBe(4)
})

test('a click opens the page of the deal, or shows the window that has it, and no other site', async ({
  page,
  context,
  server,
}) => {
  await subscribed(page, context, server.origin)
  const [worker] = context.serviceWorkers()
  // Without a real click browsers open nothing, and let nobody wait for an event of a script.
  const leadsTo = (navigate: unknown) =>
    worker?.evaluate(async (navigate) => {
      const led: string[] = []
      const waiting: Promise<unknown>[] = []
      Object.assign(Object.getPrototypeOf(Reflect.get(globalThis, 'clients')), {
        openWindow: async (url: string) => void led.push(`opens ${url}`),
      })
      Object.assign(Reflect.get(Reflect.get(globalThis, 'WindowClient'), 'prototype'), {
        async focus(this: { url: string }) {
          led.push(`shows ${this.url}`)
        },
      })
      const event = new Event('notificationclick')
      Object.assign(event, {
        notification: { data: { navigate }, close: () => {} },
        waitUntil: (work: Promise<unknown>) => void waiting.push(work),
      })
      globalThis.dispatchEvent(event)
      await Promise.all(waiting)
      return led
    }, navigate)
  const { origin } = server
  expect(await leadsTo(`${origin}/deals/B000000002`)).toEqual([`opens ${origin}/deals/B000000002`])
  expect(await leadsTo('/deals/B000000002')).toEqual([`opens ${origin}/deals/B000000002`])
  expect(await leadsTo(`${origin}/profile`)).toEqual([`shows ${origin}/profile`])
  for (const foreign of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', undefined, 7])
    expect(await leadsTo(foreign)).toEqual([`opens ${origin}/`])
})

test.describe('signing out', () => {
  // The page's stream ends with its session.
  test.use({ expectedConsoleErrors: [/api\/events|status of 401|ERR_FAILED/] })

  test('ends the pushes to this browser', async ({ page, context, server }) => {
    // A browser without a push service has no subscription to end.
    await page.addInitScript(() => {
      const subscription = {
        unsubscribe: async () => {
          document.documentElement.dataset.pushes = 'ended'
          return true
        },
      }
      PushManager.prototype.getSubscription = async () =>
        Object.assign(Object.create(PushSubscription.prototype), subscription)
    })
    await subscribed(page, context, server.origin)
    const root = page.locator('html')
    await page.getByRole('button', { name: 'Sign Out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign out' })
    await page.route('**/api/session', (route) => route.abort())
    await dialog.getByRole('button', { name: 'Sign Out' }).click()
    await expect(dialog.getByText('You are still signed in.')).toBeVisible()
    await expect(root).not.toHaveAttribute('data-pushes')
    await page.unroute('**/api/session')
    await dialog.getByRole('button', { name: 'Sign Out' }).click()
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
    await expect(root).toHaveAttribute('data-pushes', 'ended')
  })
})
