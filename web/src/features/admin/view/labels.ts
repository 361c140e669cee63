import type { AdminTab } from '../view.ts'

export const adminTabLabels: Record<AdminTab, string> = {
  filters: 'Filter Management',
  words: 'Blacklist Management',
  users: 'User Management',
  import: 'Import Deals',
  sources: 'Sources',
  quarantine: 'Quarantine',
  channels: 'Channels',
  audit: 'Audit',
}
