import { expect, test } from './fixtures.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

test.use({ role: 'admin' })

const many = Array.from({ length: 5_000 }, (_, place) => `member ${String(5_000 - place).padStart(4, '0')}`)

test.beforeEach(async ({ databases }) => {
  await removeOtherUsers(databases)
  await insertUsers(databases, many)
})
test.afterEach(({ databases }) => removeOtherUsers(databases))

test('5,000 users are listed page by page, and only those near the screen exist', async ({ page }) => {
  const users = usersPage(page)
  await users.open()
  await expect(users.count).toHaveText('5,002 users')
  await expect(users.cards.first()).toContainText(/^[A-Z0-9]+/)
  let furthest = 0
  await expect
    .poll(
      async () => {
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
        const places = await users.cards.evaluateAll((rows) =>
          rows.map((row) => Number(row.getAttribute('aria-rowindex'))),
        )
        furthest = Math.max(furthest, ...places)
        return furthest
      },
      { timeout: 40_000 },
    )
    .toBeGreaterThan(400)
  expect(await users.cards.count()).toBeLessThan(60)
})

test('among 5,000 users typing finds one, and few cards exist while it does', async ({ page }) => {
  const users = usersPage(page)
  await users.open()
  await page.evaluate(() => {
    const slow: number[] = []
    Object.assign(window, { slowResponses: slow })
    // The threshold is of event timing only, which the general type doesn't know.
    const options = { type: 'event', durationThreshold: 16 }
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) slow.push(entry.duration)
    }).observe(options)
  })
  await users.search.focus()
  await page.keyboard.type('member 4321', { delay: 60 })
  await expect(users.count).toHaveText('1 user matches')
  await expect(users.card('member 4321')).toBeVisible()
  for (let letter = 0; letter < 3; letter++) await page.keyboard.press('Backspace', { delay: 60 })
  await expect(users.count).toHaveText('1,000 users match')
  const slowest = await page.evaluate(() => Math.max(0, ...Reflect.get(window, 'slowResponses')))
  // To be looked at: what a key's answer takes depends on the machine.
  test.info().annotations.push({ type: 'slowest response to a key, ms', description: String(slowest) })
  expect(await users.cards.count()).toBeLessThan(60)
})
