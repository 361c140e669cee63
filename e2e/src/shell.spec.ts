import type { Page } from '@playwright/test'
import { dealRows } from './deals.ts'
import { brandRows, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { holdBack, program } from './hold-back.ts'
import { type Check, inEveryLook } from './looks.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

const phone = { width: 390, height: 844 }

function deals(page: Page) {
  return page.getByRole('heading', { name: 'Deals', level: 1 })
}

async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Sign Out' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign out' })
  await expect(dialog.getByText('Are you sure you want to sign out?')).toBeVisible()
  return dialog
}

test('Loading... stands while the session is confirmed', async ({ page }) => {
  await withoutPreloadedResponses(page)
  const release = await holdBack(page, '**/api/session')
  await page.goto('/amazon-haul')
  await expect(page.getByText('Loading...')).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  release()
  await expect(deals(page)).toBeVisible()
})

test('Loading... stands before the program has come', async ({ page }) => {
  const release = await holdBack(page, program)
  await page.goto('/amazon-haul', { waitUntil: 'commit' })
  await expect(page.getByText('Loading...')).toBeVisible()
  // Seen by more than the document: a browser has painted it.
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1)
  release()
  await expect(deals(page)).toBeVisible()
})

test('ids lead to their places, unknown ones and the name lead home', async ({ page }) => {
  const home = page.getByRole('heading', { name: 'Low-price finds, as they come in', level: 1 })
  for (const address of ['/?tab=home', '/?tab=nothing', '/']) {
    await page.goto(address)
    await expect(home).toBeVisible()
    expect(new URL(page.url()).pathname).toBe('/')
    await expect(page).toHaveTitle('Home · Dealdeck')
  }
  await page.goto('/?tab=amazon-haul-deals')
  await expect(deals(page)).toBeVisible()
  await expect(page).toHaveURL(/\/amazon-haul$/)
  await expect(page).toHaveTitle('Deals · Dealdeck')
  await page.getByRole('link', { name: 'Dealdeck home' }).click()
  await expect(home).toBeVisible()
})

test('administrators’ places refuse others', async ({ page }) => {
  await page.goto('/?tab=import-deals')
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  await expect(page.getByText('You need administrator privileges to access this feature.')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Admin/ })).toHaveCount(0)
})

test.describe('signing out', () => {
  // The other tab's stream ends before it hears of the sign-out, and it may ask for deals once more.
  test.use({ expectedConsoleErrors: [/api\/events|status of 401|ERR_FAILED/] })

  test('asks first, then ends the session in every tab', async ({ page, context }) => {
    await page.goto('/amazon-haul')
    const other = await context.newPage()
    await other.goto('/amazon-haul')
    await expect(deals(other)).toBeVisible()

    await (await signOut(page)).getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Sign Out' })).toBeFocused()
    await signOut(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await page.evaluate(() => {
      const shown = [true]
      Object.assign(window, { screensShown: shown })
      const look = () => {
        const isShown = document.querySelector('nav') !== null
        if (isShown !== shown.at(-1)) shown.push(isShown)
      }
      new MutationObserver(look).observe(document, { childList: true, subtree: true })
      // As on a machine so busy that what is put off for a moment comes late.
      const { setTimeout } = window
      Object.assign(window, {
        setTimeout: (run: () => void, ms = 0) => setTimeout(run, Math.max(ms, 100)),
      })
    })
    await (await signOut(page)).getByRole('button', { name: 'Sign Out' }).click()
    for (const tab of [page, other]) {
      await expect(tab.getByRole('button', { name: 'Sign In' })).toBeVisible()
      await expect(deals(tab)).toHaveCount(0)
    }
    // They don't come back for a moment, to ask a server that knows nobody any more.
    expect(await page.evaluate(() => Reflect.get(window, 'screensShown'))).toEqual([true, false])
    expect(await page.evaluate(async () => (await fetch('/api/session')).status)).toBe(401)
  })

  test('leaves no address behind, also where the session was over already', async ({ page, databases }) => {
    // Whatever else asks the server would find out first, and lead to the login screen.
    await holdBack(page, /\/api\/(?!session$)/)
    await page.goto('/amazon-haul?q=lamp')
    const dialog = await signOut(page)
    await databases.durablePool.query('delete from sessions')
    await dialog.getByRole('button', { name: 'Sign Out' }).click()
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/')
  })

  test('says so when it did not work', async ({ page }) => {
    await page.goto('/amazon-haul')
    await expect(deals(page)).toBeVisible()
    await page.route('**/api/session', (route) => route.abort())
    const dialog = await signOut(page)
    await dialog.getByRole('button', { name: 'Sign Out' }).click()
    await expect(dialog.getByText('You are still signed in.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(deals(page)).toBeVisible()
  })
})

test.describe('a session that ends elsewhere', () => {
  test.use({ expectedConsoleErrors: [/api\/events|status of 401/] })

  test('leads to the login screen with the next call', async ({ page, databases }) => {
    await page.goto('/amazon-haul')
    await expect(deals(page)).toBeVisible()
    // Deals are there before the program, whose own first call would lead there as well.
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await databases.durablePool.query('delete from sessions')
    await page.getByLabel('Search deals').fill('lantern')
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible()
    await expect(page).toHaveURL(/\/amazon-haul/)
  })
})

test('the theme follows the choice, at once and without a flash after a reload', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  const root = page.locator('html')
  await page.goto('/amazon-haul')
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light')
  await page.getByRole('radio', { name: 'Dark theme' }).check()
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await page.addInitScript(() => {
    const seen: (string | undefined)[] = []
    Object.assign(window, { seenThemes: seen })
    const look = () => {
      if (document.body) seen.push(document.documentElement.dataset.mantineColorScheme)
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await page.reload()
  await expect(deals(page)).toBeVisible()
  expect(await page.evaluate(() => [...new Set(Reflect.get(window, 'seenThemes'))])).toEqual(['dark'])
  await page.getByRole('radio', { name: 'System theme' }).check()
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light')
})

test('a link at the top skips to the content', async ({ page }) => {
  // What the page shows before its program has come takes no focus.
  await page.goto('/amazon-haul')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('a button leads back to the top after 300 pixels', async ({ page, importDeals }) => {
  await importDeals(dealRows(40))
  await page.goto('/amazon-haul')
  await expect(page.getByText('Folding camp lantern').first()).toBeVisible()
  const button = page.getByRole('button', { name: 'Scroll to top' })
  await page.evaluate(() => window.scrollTo(0, 300))
  await expect(button).toBeHidden()
  await page.evaluate(() => window.scrollTo(0, 301))
  await expect(button).toBeVisible()
  // Visibility goes with the movement, so the button is there until its way out is over.
  await expect(button).toHaveCSS('transition-property', 'opacity, transform, visibility')
  await expect(button).toHaveCSS('transition-duration', '0.3s, 0.3s, 0.3s')
  await button.click()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  await expect(button).toBeHidden()
})

test('reports of resize-observer loops reach nobody, other errors do', async ({ page }) => {
  await page.goto('/amazon-haul')
  // What surrounds the screen is there before the program.
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  const heard = await page.evaluate(() => {
    const messages: string[] = []
    window.addEventListener('error', ({ message }) => messages.push(message))
    const report = (message: string) =>
      window.dispatchEvent(new ErrorEvent('error', { message, cancelable: true }))
    const isQuiet = !report('ResizeObserver loop completed with undelivered notifications.')
    return { isQuiet, isOtherQuiet: !report('Something else broke'), messages }
  })
  expect(heard).toEqual({ isQuiet: true, isOtherQuiet: false, messages: ['Something else broke'] })
})

test('every screen ends in the footer', async ({ page }) => {
  for (const path of ['/', '/amazon-haul', '/tools', '/filters', '/image-tools', '/profile']) {
    await page.goto(path)
    await expect(page.getByRole('contentinfo')).toBeVisible()
    await expect(page).toHaveURL(path)
  }
})

test.describe('a screen that breaks', () => {
  test.use({ role: 'admin', expectedConsoleErrors: [/broken on purpose/] })

  test('offers a refresh', async ({ page }) => {
    await page.route('**/assets/admin-dashboard-*.js', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'export const AdminDashboard = () => { throw new Error("broken on purpose") }',
      }),
    )
    await page.goto('/import')
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
    await expect(page.getByText('Please refresh the page to continue.')).toBeVisible()
    await page.unroute('**/assets/admin-dashboard-*.js')
    await page.getByRole('button', { name: 'Refresh Page' }).click()
    await expect(page.getByRole('heading', { name: 'Import deals' })).toBeVisible()
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: phone, role: 'admin' })

  test('choosing a place closes the menu and scrolls to the top', async ({ page, importDeals }) => {
    await importDeals(dealRows(40))
    await page.goto('/amazon-haul')
    await expect(page.getByText('Folding camp lantern').first()).toBeVisible()
    await expect(page.getByRole('link', { name: /^Admin/ })).toBeHidden()
    await page.evaluate(() => window.scrollTo(0, 900))
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: 'Deals', exact: true }).click()
    await expect(page.getByRole('link', { name: /^Admin/ })).toBeHidden()
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: /^Admin/ }).click()
    await expect(page.getByRole('heading', { name: /^Welcome back/ })).toBeVisible()
    await expect(page.getByRole('main')).toBeFocused()
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Open menu' })).toHaveAttribute('aria-expanded', 'false')
  })
})

test('menu, refusal and confirmation are accessible', async ({ page }) => {
  const refusal = page.getByRole('heading', { name: 'Access Denied' })
  const steps = async (check: Check) => {
    await page.goto('/import')
    await check('access denied', refusal)
    const hamburger = page.getByRole('button', { name: 'Open menu' })
    if (await hamburger.isVisible()) await hamburger.click()
    await check('shell', page.getByRole('button', { name: 'Sign Out' }))
    await check('shell, sign out', await signOut(page))
  }
  await inEveryLook(page, steps, { isOpenedAtEachSize: true })
})

test('choosing another screen begins at its top, and Back returns to where one was', async ({
  page,
  databases,
}) => {
  await setFilters(databases, brandRows(60))
  await page.setViewportSize(phone)
  await page.goto('/filters')
  await expect(page.getByRole('heading', { name: 'Filters', level: 1 })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.body.scrollHeight)).toBeGreaterThan(3_000)
  await page.evaluate(() => window.scrollTo(0, 1_500))
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Image Tools' }).click()
  await expect(page.getByRole('heading', { name: /Image Tools/, level: 1 })).toBeVisible()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(1_000)

  // Choosing the screen one is on leads to its top.
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Filters', exact: true }).click()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
})
