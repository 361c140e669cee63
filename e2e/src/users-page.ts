import type { Page } from '@playwright/test'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { expect } from './fixtures.ts'

/** What a test does with User Management. */
export function usersPage(page: Page) {
  /** A row on a desk, a card on a phone. */
  const card = (name: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader').getByText(name, { exact: true }) })
      .or(page.getByRole('article', { name, exact: true }))
  const list = page.getByRole('table', { name: 'Users' }).or(page.getByRole('list', { name: 'Users' }))
  return {
    search: page.getByRole('searchbox', { name: 'Search users' }),
    list,
    cards: list.getByRole('article').or(list.getByRole('row').filter({ has: page.getByRole('rowheader') })),
    count: page.getByText(/^[\d,]+ users?( match(es)?)?$/),
    add: page.getByRole('button', { name: 'Add user' }),
    dialog: page.getByRole('dialog'),
    filter: (name: 'Role' | 'Status' | 'Active') => page.getByRole('combobox', { name, exact: true }),
    card,
    said: (text: string) => page.getByRole('status').filter({ hasText: text }),
    button: (action: string, name: string) =>
      page.getByRole('button', { name: `${action} ${name}`, exact: true }),
    active: (name: string) => page.getByRole('switch', { name: `${name} is active` }),
    async open(): Promise<void> {
      await page.goto('/admin-dashboard?tab=users')
      await expect(list).toBeVisible()
    },
    /** Opens a card; a row shows everything anyway. */
    async expand(name: string): Promise<void> {
      await expect(card(name)).toBeVisible()
      const head = card(name).getByRole('button', { expanded: false })
      if ((await head.count()) > 0) await head.click()
      await expect(page.getByRole('button', { name: `Edit ${name}`, exact: true })).toBeVisible()
    },
  }
}

/** A word of letters that no test has used before in this run. */
export function newName(prefix: string): string {
  return `${prefix}-${Math.random().toString(36).slice(2, 10)}`
}

/** Accounts that nobody can sign in to, the first the newest. */
export async function insertUsers(
  databases: Databases,
  names: readonly string[],
  values: { role?: string; status?: string; is_active?: boolean } = {},
): Promise<void> {
  const { role = 'user', status = 'approved', is_active = true } = values
  await databases.durablePool.query(
    `insert into users (username, password_hash, role, status, is_active, created_at)
     select name, '', $2, $3, $4, now() - place * interval '1 second'
     from unnest($1::text[]) with ordinality as given(name, place)`,
    [names, role, status, is_active],
  )
}

/** Leaves only the accounts the server was started with. */
export async function removeOtherUsers(databases: Databases): Promise<void> {
  await databases.durablePool.query("delete from users where username not in ('ada', 'una')")
}
