import { expect, type Page } from '@playwright/test'
import axe from 'axe-core'

/** Every look a screen must be good in. `for (const look of looks) test.describe(look.name, () => { test.use(look.use) … })`. */
export const looks = (
  [
    ['phone', { width: 390, height: 844 }],
    ['desktop', { width: 1440, height: 900 }],
  ] as const
).flatMap(([size, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${size}, ${colorScheme}`,
    use: { viewport, colorScheme },
  })),
)

/** Fails with the names and places of whatever axe finds wrong on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  // A colour measured halfway through a transition is nobody's colour. What turns for ever is not waited for.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((animation) => animation.finished.catch(() => null)),
    ),
  )
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    // What the line above has put there.
    const { run } = Reflect.get(window, 'axe') as typeof axe
    // Describing all that is right would take most of the time.
    const { violations } = await run({ resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => ({
      id,
      at: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary}`),
    }))
  })
  expect(found).toEqual([])
}

/** Keeps a picture of the page to look at, in `e2e/test-results/pictures/`. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${import.meta.dirname}/../test-results/pictures/${name}.png` })
}
