import { dealRow, dealRows } from './deals.ts'
import { cards, openFeed, questionOf, searchBox } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'

const watches = () => [
  dealRow({ title: 'Dive watch', brand: 'Casio', price: 20, original_price: 50 }),
  dealRow({ title: 'Field watch', brand: 'Seiko', price: 25, original_price: 60 }),
  dealRow({ title: 'Dress watch', brand: 'Seiko', price: 28, original_price: 30 }),
  dealRow({ title: 'Desk lamp', brand: 'Lumen', price: 9, original_price: 30, category: 'Home > Lamps' }),
]

test('a question is typed with what is offered, by keyboard alone, and taken apart again', async ({
  page,
  importDeals,
}) => {
  await importDeals(watches())
  await openFeed(page)
  const box = searchBox(page)
  const offers = page.getByRole('listbox', { name: 'Suggestions' })
  await page.keyboard.press('/')
  await expect(box).toHaveRole('combobox')
  await page.keyboard.type('watch -bra')
  await expect(offers.getByRole('option')).toHaveText(['brand:such as brand:casio'])
  await expect(box).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('watch -brand:')
  await expect(offers.getByRole('option')).toHaveText(['Seiko2 deals', 'Casio1 deal', 'Lumen1 deal'])
  await page.keyboard.type('c')
  await expect(offers.getByRole('option')).toHaveText(['Casio1 deal'])
  await page.keyboard.press('ArrowDown')
  const active = await box.getAttribute('aria-activedescendant')
  await expect(page.locator(`[id="${active}"]`)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('watch -brand:Casio ')
  await expect(offers).toHaveCount(0)
  await page.keyboard.type('off:>50')
  await expect(cards(page)).toHaveCount(1)
  await expect(page.getByText("'watch', not brand 'Casio', over 50 % off")).toBeVisible()

  // What does not count is said, and mended with a press.
  await page.keyboard.type(' price:<ten')
  await expect(page.getByText("'price:<ten' needs a number, e.g. price:<10")).toBeVisible()
  await expect(cards(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Use price:<10' }).click()
  await expect(box).toHaveValue('watch -brand:Casio off:>50 price:<10')
  await expect(page.getByText('No deal matches')).toBeVisible()
  await page.getByRole('button', { name: '< $10', exact: true }).press('Enter')
  await expect(box).toHaveValue('watch -brand:Casio off:>50')
  await expect(page.getByRole('button', { name: '> 50% off' })).toBeFocused()
  await page.getByRole('button', { name: "not brand 'Casio'" }).click()
  await expect(box).toHaveValue('watch off:>50')
  await expect(cards(page)).toHaveCount(2)

  // Esc puts the offers away first, then the text.
  await box.press('End')
  await page.keyboard.type(' pr')
  await expect(offers).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(offers).toHaveCount(0)
  await expect(box).toHaveValue('watch off:>50 pr')
  await page.keyboard.press('Escape')
  await expect(box).toHaveValue('')
  await page.keyboard.type('brand:zz')
  await expect(page.getByText('No brand begins with that.')).toBeVisible()
})

test.describe('with a finger', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test('a plain word offers the brands that begin so, and examples are tried with a tap', async ({
    page,
    importDeals,
  }) => {
    await importDeals(watches())
    await openFeed(page)
    await searchBox(page).tap()
    await page.keyboard.type('sei')
    await page.getByRole('option', { name: 'brand:Seiko' }).tap()
    await expect(searchBox(page)).toHaveValue('brand:Seiko ')
    await expect(searchBox(page)).toBeFocused()
    await expect(cards(page)).toHaveCount(2)
    await page.getByRole('button', { name: 'Clear search' }).tap()
    await page.getByRole('button', { name: 'How to ask for deals' }).tap()
    await page.getByRole('button', { name: /^lamp OR lantern/ }).tap()
    await expect(cards(page)).toHaveCount(1)
    await expect.poll(() => questionOf(page)).toBe('lamp OR lantern sort:price')

    // However much is asked, the chips end before the switch beside them.
    await searchBox(page).fill('lamp price:1..20 off:10 -seiko -casio brand:lumen new:today')
    const last = page.getByRole('button', { name: 'Today only' })
    await expect(last).toBeAttached()
    const layouts = await page.getByRole('group', { name: 'Show deals as' }).boundingBox()
    const row = await last.locator('..').boundingBox()
    expect((row?.x ?? 0) + (row?.width ?? 0)).toBeLessThanOrEqual(layouts?.x ?? 0)
    await last.scrollIntoViewIfNeeded()
    await last.tap()
    await expect(searchBox(page)).toHaveValue('lamp price:1..20 off:10 -seiko -casio brand:lumen')
  })
})

test('what is typed before the language has come is neither lost nor left, and a control waits for it', async ({
  page,
  importDeals,
}) => {
  await importDeals([...watches(), ...dealRows(2)])
  await page.setViewportSize({ width: 1200, height: 800 })
  const release = await holdBack(page, /\/assets\/language-/)
  await openFeed(page)
  await searchBox(page).focus()
  await page.keyboard.type('watch pr')
  await page.getByLabel('Prime only').click({ force: true })
  await searchBox(page).focus()
  await page.keyboard.press('End')
  release()
  await expect(searchBox(page)).toHaveRole('combobox')
  await expect(searchBox(page)).toBeFocused()
  await expect(searchBox(page)).toHaveValue('watch pr prime:yes')
  await expect.poll(() => questionOf(page)).toBe('watch pr prime:yes')
})
