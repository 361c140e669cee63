export const adminTabs = ['filters', 'words', 'users', 'import', 'audit'] as const
export type AdminTab = (typeof adminTabs)[number]

export const adminTabLabels: Record<AdminTab, string> = {
  filters: 'Filter Management',
  words: 'Blacklist Management',
  users: 'User Management',
  import: 'Import Deals',
  audit: 'Audit',
}

/** The dashboard's part of the address; without a tab it is the first. */
export type AdminSearch = { tab?: AdminTab | undefined }

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const adminSearchSchema = {
  parse({ tab }: Record<string, unknown>): AdminSearch {
    // What the tab of imports was called before.
    const asked = tab === 'ingest' ? 'import' : tab
    return { tab: adminTabs.find((known) => known === asked) }
  },
}
