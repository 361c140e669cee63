import type { PublicSettings } from '@dealdeck/contract/settings'
import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { type MarketplaceFormats, marketplaceFormats } from './number-formats.ts'

/** What a screen knows of the installation: its marketplace, and how that writes numbers. */
export type Marketplace = MarketplaceFormats

/** Used until the server has answered, and while it can't be reached. */
const fallbackSettings: PublicSettings = {
  marketplace: 'amazon.com',
  currency: 'USD',
  locale: 'en-US',
  affiliate_tag: '',
  signup_mode: 'open',
}

/** Never changes while the server runs, so it is asked once. */
export const settingsQuery = api.settings.current.queryOptions({
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

export function useSettings(): PublicSettings {
  return useQuery(settingsQuery).data ?? fallbackSettings
}

/** The installation's marketplace and its formatters: one for all parts of the screen. */
export function useMarketplace(): Marketplace {
  const settings = useSettings()
  const known = formats.get(settings) ?? marketplaceFormats(settings)
  formats.set(settings, known)
  return known
}

const formats = new WeakMap<PublicSettings, Marketplace>()
