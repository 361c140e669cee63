import type { Page } from '@playwright/test'
import { z } from 'zod'
import { openPage, withBrowser } from './browser-place.ts'
import { atMost, type Figure, median, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'

const users = 5_000
const words = 2_000
const limitMs = 200

const screens = [
  { name: `${users.toLocaleString('en-US')} users`, tab: 'users', label: 'Search users', text: 'hunter 49' },
  { name: `${words.toLocaleString('en-US')} words`, tab: 'words', label: 'Search words', text: 'gadget 19' },
]

/** How long the lists of an administrator with many users and words take to answer a key: until the next painted frame. */
export async function measureTyping(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(10_000)
  await withClient(url, async (client) => {
    await client.query(
      `insert into users (username, password_hash) select 'hunter ' || n, 'none' from generate_series(1, $1) n
       on conflict do nothing`,
      [users],
    )
    await client.query(
      `insert into blacklisted_words (word) select 'gadget ' || n from generate_series(1, $1) n on conflict do nothing`,
      [words],
    )
  })
  return withBrowser(url, async (app, browser) => {
    const figures: Figure[] = []
    for (const { name, tab, label, text } of screens) {
      const page = await openPage(app, browser, { viewport: { width: 1280, height: 800 } })
      await page.goto(`/admin-dashboard?tab=${tab}`)
      const times = await typeInto(page, label, text)
      figures.push(
        atMost(
          `${name}: slowest key`,
          Math.max(...times),
          limitMs,
          'ms',
          `${times.length} keys, p50 ${median(times).toFixed(0)} ms`,
        ),
      )
      await page.context().close()
    }
    return { title: 'Typing into long lists', figures }
  })
}

// A text, because what runs in a page knows other globals than what is checked here.
const noteKeys = `window.keyTimes = []
document.addEventListener('keydown', () => {
  const start = performance.now()
  requestAnimationFrame(() => setTimeout(() => window.keyTimes.push(performance.now() - start)))
}, true)`

async function typeInto(page: Page, label: string, text: string): Promise<number[]> {
  const box = page.getByLabel(label)
  await box.click()
  await page.waitForTimeout(1_000)
  await page.evaluate(noteKeys)
  // Typed, taken back and typed again, with pauses in which the answers of the server arrive too.
  await page.keyboard.type(text, { delay: 120 })
  for (const _letter of text) await page.keyboard.press('Backspace', { delay: 60 })
  await page.keyboard.type(text, { delay: 250 })
  await page.waitForTimeout(1_000)
  return z.array(z.number()).parse(await page.evaluate('window.keyTimes'))
}
