import { expect, test } from './fixtures.ts'
import { inEveryLook } from './looks.ts'

test.use({ role: 'admin' })

test('all three tabs, reading and editing, are accessible', async ({ page }) => {
  const edit = page.getByRole('button', { name: 'Edit profile' })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await inEveryLook(page, async (check) => {
    await page.goto('/profile')
    await expect(edit).toBeVisible()
    await check('profile empty', edit)
    await edit.click()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('of the very long family name that goes on and on')
    await page.getByLabel('Bio').fill('Collects lanterns, mugs and everything that folds. '.repeat(5))
    await page.getByLabel('Email').fill('nonsense')
    await save.click()
    const refusal = page.getByText('Enter an address')
    await expect(refusal).toBeVisible()
    await check('profile editing', refusal)
    await page.getByLabel('Email').fill('ada@example.com')
    await save.click()
    await check('profile saved', edit)
    await page.getByRole('tab', { name: 'Preferences' }).click()
    const price = page.getByLabel('Default max price')
    await price.fill('0')
    await check('profile preferences', price)
    await page.getByRole('tab', { name: 'Security' }).click()
    const sessions = page.getByRole('list', { name: 'Sessions' })
    await expect(sessions).toBeVisible()
    await page.getByRole('button', { name: 'Change password' }).click()
    await check('profile security', sessions)
    // The next size begins with an empty profile too.
    await page.evaluate(() => localStorage.clear())
  })
})
