import { type BrowserContextOptions, devices, type Page } from '@playwright/test'
import { z } from 'zod'
import { filledWithPictures, openPage, withBrowser } from './browser-place.ts'
import { atLeast, atMost, type Figure, percentile, type Report } from './report.ts'
import type { Workshop } from './scratch.ts'

/** Enough that this many are left by the price limit which the feed starts with. */
const made = 15_000
const loaded = 10_000
const seconds = 8
/** As fast as a finger throws a list: four screens of a phone a second. */
const pixelsPerSecond = 3_000

const looks: { name: string; options: BrowserContextOptions }[] = [
  { name: 'desktop', options: { viewport: { width: 1280, height: 800 } } },
  { name: 'phone', options: devices['Pixel 7'] ?? {} },
]

const framesSchema = z.object({ deltas: z.array(z.number()), pixels: z.number() })
type Frames = z.infer<typeof framesSchema>

/** Times between frames while the feed with 10,000 deals loaded is scrolled steadily, down from its middle. */
export async function measureFrames(workshop: Workshop): Promise<Report> {
  return withBrowser(await filledWithPictures(workshop, made), async (app, browser) => {
    const figures: Figure[] = []
    const details: Record<string, Frames> = {}
    for (const { name, options } of looks) {
      const page = await openPage(app, browser, options)
      const deals = await openWithDeals(page, loaded)
      const frames = await scroll(page)
      details[name] = frames
      figures.push(...figuresOf(name, deals, frames))
      await page.context().close()
    }
    return { title: `Scrolling the feed for ${seconds} s`, figures, details }
  })
}

function figuresOf(name: string, deals: number, { deltas, pixels }: Frames): Figure[] {
  const at = (share: number) => percentile(share, deltas)
  return [
    atLeast(`${name}: deals loaded`, deals, loaded, ''),
    atMost(`${name}: time between frames`, at(0.99), 33, 'ms p99', `${deltas.length} frames, ${pixels} px`),
    { name: `${name}: at most`, value: at(1), unit: 'ms', note: `p50 ${at(0.5).toFixed(1)} ms` },
  ]
}

/** Opens the feed as somebody who comes back to a list they had read so far; returns how many deals it holds. */
async function openWithDeals(page: Page, count: number): Promise<number> {
  await page.goto('/amazon-haul')
  await page.locator('[role=feed][aria-busy=false]').waitFor()
  // The page itself stores such scroll positions for a reload; loading by scrolling takes a second for each hundred.
  const position = `[[history.state.__TSR_key, { offset: 1, items: ${count} }]]`
  await page.evaluate(`sessionStorage.setItem('dealdeck.places', JSON.stringify(${position}))`)
  await page.reload()
  const feed = page.locator(`[role=feed][aria-busy=false][data-loaded="${count}"]`)
  await feed.waitFor({ timeout: 60_000 })
  return Number(await feed.getAttribute('data-loaded'))
}

// Texts, because what runs in a page knows other globals than what is checked here.
const toMiddle = 'window.scrollTo(0, document.documentElement.scrollHeight / 2)'
const scrollSteadily = `new Promise((resolve) => {
  const deltas = []
  const from = window.scrollY
  requestAnimationFrame((start) => {
    let before = start
    const step = (now) => {
      deltas.push(now - before)
      before = now
      if (now - start > ${seconds * 1_000}) return resolve({ deltas, pixels: Math.round(window.scrollY - from) })
      window.scrollTo({ top: from + ((now - start) / 1_000) * ${pixelsPerSecond}, behavior: 'instant' })
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
})`

async function scroll(page: Page): Promise<Frames> {
  await page.evaluate(toMiddle)
  await page.waitForTimeout(1_000)
  return framesSchema.parse(await page.evaluate(scrollSteadily))
}
