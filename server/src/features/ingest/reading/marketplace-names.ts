import { shopOfAddress } from '@dealdeck/marketplace/asin'
import { marketplaces } from '@dealdeck/marketplace/marketplaces'

const countries: Record<string, string> = {
  us: 'amazon.com',
  usa: 'amazon.com',
  uk: 'amazon.co.uk',
  gb: 'amazon.co.uk',
  jp: 'amazon.co.jp',
  za: 'amazon.co.za',
}
for (const { domain } of marketplaces) {
  const ending = domain.split('.').at(-1) ?? ''
  if (ending !== 'com') countries[ending] ??= domain
}
const names: Record<string, string> = {
  'united states': 'amazon.com',
  america: 'amazon.com',
  'united kingdom': 'amazon.co.uk',
  germany: 'amazon.de',
  deutschland: 'amazon.de',
  france: 'amazon.fr',
  italy: 'amazon.it',
  spain: 'amazon.es',
  canada: 'amazon.ca',
  india: 'amazon.in',
  japan: 'amazon.co.jp',
  brazil: 'amazon.com.br',
  mexico: 'amazon.com.mx',
  australia: 'amazon.com.au',
}

/** The shop a marketplace or country column names: an address, a domain, a country's code or name. Null when it names none. */
export function shopOf(text: string): string | null {
  const bare = text.trim().toLowerCase()
  if (bare.length <= 3) return countries[bare] ?? null
  return Object.hasOwn(names, bare) ? (names[bare] ?? null) : shopOfAddress(bare)
}
