import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { inEveryLook, takePicture } from './looks.ts'
import { startServer } from './server.ts'

test.use({ role: null })

const broken = /net::ERR_FAILED/

function login(page: Page) {
  return {
    username: page.getByLabel('Username'),
    password: page.getByLabel('Password', { exact: true }),
    confirmation: page.getByLabel('Confirm password', { exact: true }),
    signIn: page.getByRole('button', { name: 'Sign In', exact: true }),
    createAccount: page.getByRole('button', { name: 'Create Account', exact: true }),
    toSignUp: page.getByRole('button', { name: 'Create an account' }),
  }
}

async function openSignUp(page: Page, name: string, password = 'secret1', confirmation = password) {
  const form = login(page)
  await page.goto('/')
  await form.toSignUp.click()
  await form.username.fill(name)
  await form.password.fill(password)
  await form.confirmation.fill(confirmation)
  await form.createAccount.click()
  return form
}

test('signing in by keyboard leads to the address that was asked for', async ({ page, server }) => {
  await page.goto('/amazon-haul?sort=price')
  const form = login(page)
  await expect(page.getByText('For authorized users only.')).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expect(form.username).toBeFocused()
  await expect(form.signIn).toBeDisabled()
  await page.keyboard.type(` ${server.accounts.user.username.toUpperCase()} `)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`${server.accounts.user.password} `)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  await expect(page).toHaveURL(/\/amazon-haul\?q=sort%3Aprice$/)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
})

test('where nobody may sign up nobody is asked to', async ({ openContext }) => {
  const closed = await startServer({ SIGNUP_MODE: 'closed' })
  try {
    const page = await (await openContext(null, closed.origin)).newPage()
    await page.goto('/')
    const form = login(page)
    await expect(page.getByText('No account yet? Ask an administrator.')).toBeVisible()
    await form.username.fill(closed.accounts.admin.username)
    await form.password.fill(closed.accounts.admin.password)
    // The program has taken over what the page showed first, and still says so.
    await expect(form.signIn).toBeEnabled()
    await expect(form.toSignUp).toHaveCount(0)
    await takePicture(page, 'login-closed')
    await form.signIn.click()
    await expect(page.getByRole('navigation').first()).toBeAttached()
    await page.close()
  } finally {
    await closed.stop()
  }
})

test.describe('a refusal', () => {
  test.use({ expectedConsoleErrors: [/status of 401 .*\/api\/session$/] })

  test('a wrong password is refused and tied to the fields', async ({ page }) => {
    await page.goto('/')
    const form = login(page)
    await form.username.fill('una')
    await form.password.fill('not it')
    const before = await form.username.boundingBox()
    await form.signIn.click()
    await expect(page.getByText('Invalid username or password. Access denied.')).toBeVisible()
    expect(await form.username.boundingBox()).toEqual(before)
    await expect(form.username).toBeFocused()
    await expect(form.username).toHaveAttribute('aria-invalid', 'true')
    await expect(form.username).toHaveAccessibleDescription('Invalid username or password. Access denied.')
  })
})

test('blanks only are not enough, and passwords can be looked at', async ({ page }) => {
  await page.goto('/')
  const form = login(page)
  await form.username.fill('   ')
  await form.password.fill('   ')
  await expect(form.signIn).toBeDisabled()
  await form.username.fill(' Ada')
  await form.signIn.click()
  await expect(page.getByText('Username and password are required')).toBeVisible()
  await expect(form.password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(form.password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(form.password).toHaveAttribute('type', 'password')
})

test('a new account is checked, made and signed in by itself', async ({ page }) => {
  const form = await openSignUp(page, 'Nora', 'secret1', 'secret2')
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await expect(form.confirmation).toBeFocused()
  await form.password.fill('12345')
  await form.confirmation.fill('12345')
  await form.createAccount.click()
  await expect(page.getByText('Password must be at least 6 characters long')).toBeVisible()
  await form.confirmation.fill('')
  await expect(form.createAccount).toBeDisabled()
  await form.password.fill('secret1')
  await form.confirmation.fill('secret1')
  await form.createAccount.click()
  await expect(page.getByText('Account created successfully! Logging you in...')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeDisabled()
  await expect(page.getByRole('heading', { name: 'Low-price finds, as they come in' })).toBeVisible()
  await expect(page.getByText('nora', { exact: true })).toBeAttached()
})

test('the automatic sign-in comes a second and a half after the account is made', async ({ page }) => {
  await page.clock.install()
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.goto('/')
  const form = login(page)
  await form.toSignUp.click()
  await form.username.fill('rita')
  await form.password.fill('secret1')
  await form.confirmation.fill('secret1')
  await page.clock.pauseAt(Date.now() + 60_000)
  await form.createAccount.click()
  await expect(page.getByText('Account created successfully! Logging you in...')).toBeVisible()
  await page.clock.runFor(1_400)
  expect(asked).not.toContain('POST /api/session')
  await page.clock.runFor(100)
  await expect.poll(() => asked).toContain('POST /api/session')
})

test('the link below the form leads to the other mode and back', async ({ page }) => {
  await page.goto('/')
  const form = login(page)
  await expect(form.confirmation).toHaveCount(0)
  const before = await form.username.boundingBox()
  await form.toSignUp.click()
  await expect(form.createAccount).toBeVisible()
  await expect(form.confirmation).toBeVisible()
  expect(await form.username.boundingBox()).toEqual(before)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(form.signIn).toBeVisible()
  await expect(form.confirmation).toHaveCount(0)
})

test('the device keeps who is signed in until the sign-out, and a record alone opens nothing', async ({
  page,
  server,
}) => {
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('dealdeck.session') ?? 'null'))
  const { username, password } = server.accounts.user
  await page.goto('/')
  const form = login(page)
  await form.username.fill(username)
  await form.password.fill(password)
  await form.signIn.click()
  await expect(page.getByRole('button', { name: 'Sign Out' })).toBeVisible()
  const record = await kept()
  expect(record).toEqual({ id: expect.stringMatching(/^\d+$/), username, role: 'user', status: 'approved' })
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign Out' }).click()
  await expect(form.username).toBeVisible()
  expect(await kept()).toBeNull()

  const forged = JSON.stringify({ ...record, role: 'admin' })
  await page.evaluate((text) => localStorage.setItem('dealdeck.session', text), forged)
  await page.goto('/admin-dashboard')
  await expect(form.username).toBeVisible()
  expect(await kept()).toBeNull()
})

test.describe('refusals', () => {
  test.use({ expectedConsoleErrors: [/status of 409/] })

  test('a taken name is said plainly', async ({ page, server }) => {
    const form = await openSignUp(page, server.accounts.user.username)
    await expect(page.getByText('Username already exists. Please choose a different username.')).toBeVisible()
    await expect(form.username).toBeFocused()
  })

  test('so is one that looks like another', async ({ page, server }) => {
    const form = await openSignUp(page, server.accounts.user.username.replace('a', '\u0430'))
    await expect(page.getByText("This username looks like another user's username.")).toBeVisible()
    await expect(form.username).toBeFocused()
  })
})

test.describe('a broken connection', () => {
  test.use({ expectedConsoleErrors: [broken] })

  test('fails a sign-in', async ({ page, server }) => {
    await page.goto('/')
    const form = login(page)
    await form.username.fill(server.accounts.user.username)
    await form.password.fill(server.accounts.user.password)
    await page.route('**/api/session', (route) => route.abort())
    await form.signIn.click()
    await expect(page.getByText('Login failed. Please try again.')).toBeVisible()
    await expect(form.signIn).toBeEnabled()
  })

  test('fails a sign-up', async ({ page }) => {
    await page.route('**/api/signup', (route) => route.abort())
    await openSignUp(page, 'olga')
    await expect(page.getByText('Sign up failed: Please check your connection and try again.')).toBeVisible()
  })

  test('after a sign-up leads back to signing in', async ({ page }) => {
    await page.goto('/')
    await page.route('**/api/session', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    const form = await openSignUp(page, 'petra')
    await expect(page.getByText('Account created! Please log in with your credentials.')).toBeVisible()
    await expect(form.confirmation).toHaveCount(0)
    await expect(form.username).toHaveValue('petra')
    await page.unroute('**/api/session')
    await form.password.fill('secret1')
    await form.signIn.click()
    await expect(page.getByRole('heading', { name: 'Low-price finds, as they come in' })).toBeVisible()
  })
})

test('both modes are accessible', async ({ page }) => {
  const form = login(page)
  await inEveryLook(page, async (check) => {
    await page.goto('/')
    await expect(form.username).toBeFocused()
    await check('login', form.signIn)
    await form.toSignUp.click()
    await form.username.fill('quin')
    await form.password.fill('secret1')
    await form.confirmation.fill('secret2')
    await form.createAccount.click()
    const refusal = page.getByText('Passwords do not match')
    await expect(refusal).toBeVisible()
    await check('sign-up refused', refusal)
  })
})
