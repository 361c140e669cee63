import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

const title = 'Low-price finds, as they come in'
export const carousel = (page: Page) => page.getByRole('region', { name: 'Newest deals' })
export const slides = (page: Page) => carousel(page).getByRole('article')
export const figure = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name })

/** Opens Home, with deals and live. */
export async function openHome(page: Page) {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
  await expect(slides(page).first()).toBeVisible()
  await expect(figure(page, 'real-time updates')).toContainText('Connected')
}
