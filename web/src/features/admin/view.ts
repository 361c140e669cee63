export const adminTabs = [
  'filters',
  'words',
  'users',
  'import',
  'sources',
  'quarantine',
  'channels',
  'audit',
] as const
export type AdminTab = (typeof adminTabs)[number]

/** The dashboard's part of the address; without a tab it is the first. */
export type AdminSearch = {
  tab?: AdminTab | undefined
  /** Which source is looked at, as its screen understands it. */
  source?: string | undefined
}

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const adminSearchSchema = {
  parse({ tab, source }: Record<string, unknown>): AdminSearch {
    // What the tab of imports was called before.
    const asked = tab === 'ingest' ? 'import' : tab
    return { tab: adminTabs.find((known) => known === asked), ...(source ? { source: `${source}` } : {}) }
  },
}
