import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page, test } from '@playwright/test'
import type axe from 'axe-core'
import { nextFrame } from './moments.ts'

const phone = { name: 'phone', viewport: { width: 390, height: 844 } }
const desktop = { name: 'desktop', viewport: { width: 1440, height: 900 } }

// Half as much to read for each page as the text that the package itself hands out.
const axeProgram = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * Every look a screen must be good in, for tests of its first moments, which need a browser that has loaded nothing yet:
 * `for (const look of looks) test.describe(look.name, () => { test.use(look.use) … })`. Others use `inEveryLook`.
 */
export const looks = [phone, desktop].flatMap(({ name, viewport }) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${name}, ${colorScheme}`,
    use: { viewport, colorScheme },
  })),
)

// Opened in the dark, as journeys open their pages in the light.
const sizes = [
  { ...phone, colorSchemes: ['dark', 'light'] },
  { ...desktop, colorSchemes: ['light', 'dark'] },
] as const

const [lying, smallDesk] = [
  { name: 'phone on its side', viewport: { width: 844, height: 390 }, colorSchemes: ['light'] },
  { name: 'small desk', viewport: { width: 1200, height: 800 }, colorSchemes: ['dark'] },
] as const
/** What a screen with much on it is looked at in as well. */
export const moreSizes = [lying, smallDesk]

type Size = (typeof sizes)[number] | (typeof moreSizes)[number]

type LooksOptions = {
  /** Sizes beside the phone's and the desktop's. */
  more?: typeof moreSizes
  /**
   * Whether the steps are taken anew at each size: for what stands otherwise in a window that was wide or narrow from the
   * beginning, or is there for as long as the pointer rests on it. Opening a page takes ten times the processor time of
   * changing its size.
   */
  isOpenedAtEachSize?: boolean
}

/**
 * Checks the page as it stands at every size, or at the one it was opened at, in both colour schemes: `shown` is there, axe
 * finds nothing, nothing lies beyond the side, and a picture is kept where that is wanted. What is wrong fails the test,
 * which goes on.
 */
export type Check = (name: string, shown: Locator) => Promise<void>

/**
 * Takes the steps, which open their screen themselves, on a phone, and checks what they lead to at every size and in both
 * colour schemes. When steps of each size can't be taken at one of them, the others are still seen.
 */
export async function inEveryLook(
  page: Page,
  steps: (check: Check) => Promise<void>,
  { more = [], isOpenedAtEachSize = false }: LooksOptions = {},
): Promise<void> {
  // What would be four tests has the time of three.
  test.slow()
  const all = [...sizes, ...more]
  if (!isOpenedAtEachSize) {
    await changeTo(page, sizes[0])
    await steps(async (name, shown) => {
      for (const size of all) await checkSize(page, name, shown, size)
      await changeTo(page, sizes[0])
    })
    return
  }
  const failures: string[] = []
  for (const size of all) {
    await changeTo(page, size)
    await test
      .step(size.name, () => steps((name, shown) => checkSize(page, name, shown, size)))
      .catch((error: unknown) =>
        failures.push(`${size.name}: ${error instanceof Error ? error.stack : error}`),
      )
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'))
}

async function changeTo(page: Page, { viewport, colorSchemes: [colorScheme] }: Size): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
}

async function checkSize(page: Page, name: string, shown: Locator, size: Size): Promise<void> {
  await changeTo(page, size)
  // Until lists and menus of the other width have gone.
  await nextFrame(page)
  for (const colorScheme of size.colorSchemes) {
    const look = `${name}, ${size.name}, ${colorScheme}`
    await test.step(look, () =>
      checkLook(page, look, shown, colorScheme, colorScheme === size.colorSchemes[0]),
    )
  }
}

async function checkLook(
  page: Page,
  place: string,
  shown: Locator,
  colorScheme: 'light' | 'dark',
  isFirst: boolean,
): Promise<void> {
  await page.emulateMedia({ colorScheme })
  const root = page.locator('html')
  await expect.soft(root, place).toHaveAttribute('data-mantine-color-scheme', colorScheme)
  await expect.soft(shown, place).toBeVisible()
  await expectAccessible(page, place, isFirst ? 'everything' : 'colours')
  await takePicture(page, place)
  await expectNoSidewaysScroll(page, place)
}

/**
 * Fails, going on, with the names and places of whatever axe finds wrong on the page as it stands. In another scheme the same
 * page has other colours and nothing else.
 */
export async function expectAccessible(
  page: Page,
  place: string,
  what: 'everything' | 'colours' = 'everything',
): Promise<void> {
  // A colour measured halfway through a transition is nobody's colour. What turns for ever is not waited for. An animation's
  // own promise isn't asked: it stays open where a change of the window's size has ended the animation.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  )
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeProgram)
  const found = await page.evaluate(
    async (runOnly) => {
      // What the line above has put there.
      const { run } = Reflect.get(window, 'axe') as typeof axe
      // Describing all that is right would take most of the time.
      const { violations } = await run({ resultTypes: ['violations'], ...runOnly })
      return violations.map(({ id, nodes }) => ({
        id,
        at: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary}`),
      }))
    },
    what === 'colours' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {},
  )
  expect.soft(found, place).toEqual([])
}

/** Fails, going on, when the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page, place: string): Promise<void> {
  const beyond = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })
  expect.soft(beyond, `${place}: pixels to scroll sideways`).toBe(0)
}

/** With PICTURES=on keeps a picture of the page to look at, in `e2e/test-results/pictures/`: four hundred take a tenth of the processor time of the tests of looks. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'on') return
  await page.screenshot({ path: `${import.meta.dirname}/../test-results/pictures/${name}.png` })
}

/** The words on buttons that don't fit. */
export function cutLabels(page: Page): Promise<(string | null)[]> {
  return page
    .locator('.mantine-Button-label')
    .evaluateAll((labels) =>
      labels.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent),
    )
}
