import type { Page } from '@playwright/test'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { expect } from './fixtures.ts'

export type AdminTab =
  | 'filters'
  | 'words'
  | 'users'
  | 'import'
  | 'sources'
  | 'quarantine'
  | 'channels'
  | 'audit'

/** Opens the dashboard at one of its tabs. */
export async function openAdmin(page: Page, tab?: AdminTab): Promise<void> {
  await page.goto(`/admin-dashboard${tab ? `?tab=${tab}` : ''}`)
  await expect(page.getByRole('heading', { level: 1, name: /^Welcome back/ })).toBeVisible()
}

/** The figure over a label of the quick stats. */
export function quickStat(page: Page, label: string) {
  return page.getByRole('list', { name: 'Quick stats' }).getByRole('link', { name: label })
}

/** What an action said. */
export function toast(page: Page, text: string) {
  return page.getByRole('status').filter({ hasText: text })
}

/** Puts these words in the place of all others, no deal looked at. */
export async function setWords(databases: Databases, words: readonly string[]): Promise<void> {
  await databases.durablePool.query('delete from blacklisted_words')
  await databases.durablePool.query('insert into blacklisted_words (word) select unnest($1::text[])', [words])
}
