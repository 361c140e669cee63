import { expect, test } from './fixtures.ts'
import { expectAccessible, looks, takePicture } from './looks.ts'

for (const look of looks) {
  test.describe(look.name, () => {
    test.use({ ...look.use, role: 'admin' })

    test('all three tabs, reading and editing, are accessible', async ({ page }) => {
      const fits = () =>
        page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)
      const check = async (name: string) => {
        expect(await fits()).toBe(true)
        await expectAccessible(page)
        await takePicture(page, `profile ${name}, ${look.name}`)
      }
      await page.goto('/profile')
      await expect(page.getByRole('button', { name: 'Edit profile' })).toBeVisible()
      await check('empty')
      await page.getByRole('button', { name: 'Edit profile' }).click()
      await page.getByLabel('First name').fill('Ada')
      await page.getByLabel('Last name').fill('of the very long family name that goes on and on')
      await page.getByLabel('Bio').fill('Collects lanterns, mugs and everything that folds. '.repeat(5))
      await page.getByLabel('Email').fill('nonsense')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('Enter an address')).toBeVisible()
      await check('editing')
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await check('saved')
      await page.getByRole('tab', { name: 'Preferences' }).click()
      await page.getByLabel('Default max price').fill('0')
      await check('preferences')
      await page.getByRole('tab', { name: 'Security' }).click()
      await expect(page.getByRole('list', { name: 'Sessions' })).toBeVisible()
      await page.getByRole('button', { name: 'Change password' }).click()
      await check('security')
    })
  })
}
