/**
 * The marketplaces an installation can serve. One installation serves one.
 * Facts: the shop's own domains and the ISO currency each of them prices in.
 */
export type Marketplace = {
  /** Domain without www, the value of the MARKETPLACE setting. */
  domain: string
  /** ISO 4217. */
  currency: string
  /** Locale that numbers and money are shown in. */
  locale: string
  /** Digits after the decimal separator in a price. */
  decimals: 0 | 2
}

/** What is known of a marketplace beyond that. */
export type MarketplaceFacts = Marketplace & {
  /** What the shop calls itself, such as `Amazon.co.uk`. */
  name: string
  /** The seller id under which the shop itself sells; null where it isn't known. */
  ownSellerId: string | null
  /** The two digits that stand for the country in the address of a product's picture. */
  imageCountry: string
}

/** On amazon.com from the shop's own pages; the others from public code that names them. */
const ownSellerIds: Record<string, string> = {
  'amazon.com': 'ATVPDKIKX0DER',
  'amazon.ca': 'A3DWYIK6Y9EEQB',
  'amazon.co.uk': 'A3P5ROKL5A1OLE',
  'amazon.de': 'A3JWKAKR8XB7XF',
  'amazon.fr': 'A1X6FK5RDHNB96',
  'amazon.es': 'A1AT7YVPFBWXBL',
  'amazon.com.tr': 'A1UNQM1SR2CHM',
  'amazon.co.jp': 'AN1VRQENFRJN5',
}

/** As the shop documented them in 2007. It named no others, so the rest get the one of the first shop. */
const imageCountries: Record<string, string> = {
  'amazon.co.uk': '02',
  'amazon.de': '03',
  'amazon.fr': '08',
  'amazon.co.jp': '09',
}

const rows: readonly Marketplace[] = [
  { domain: 'amazon.com', currency: 'USD', locale: 'en-US', decimals: 2 },
  { domain: 'amazon.ca', currency: 'CAD', locale: 'en-CA', decimals: 2 },
  { domain: 'amazon.com.mx', currency: 'MXN', locale: 'es-MX', decimals: 2 },
  { domain: 'amazon.com.br', currency: 'BRL', locale: 'pt-BR', decimals: 2 },
  { domain: 'amazon.co.uk', currency: 'GBP', locale: 'en-GB', decimals: 2 },
  { domain: 'amazon.de', currency: 'EUR', locale: 'de-DE', decimals: 2 },
  { domain: 'amazon.fr', currency: 'EUR', locale: 'fr-FR', decimals: 2 },
  { domain: 'amazon.it', currency: 'EUR', locale: 'it-IT', decimals: 2 },
  { domain: 'amazon.es', currency: 'EUR', locale: 'es-ES', decimals: 2 },
  { domain: 'amazon.nl', currency: 'EUR', locale: 'nl-NL', decimals: 2 },
  { domain: 'amazon.com.be', currency: 'EUR', locale: 'fr-BE', decimals: 2 },
  { domain: 'amazon.ie', currency: 'EUR', locale: 'en-IE', decimals: 2 },
  { domain: 'amazon.pl', currency: 'PLN', locale: 'pl-PL', decimals: 2 },
  { domain: 'amazon.se', currency: 'SEK', locale: 'sv-SE', decimals: 2 },
  { domain: 'amazon.com.tr', currency: 'TRY', locale: 'tr-TR', decimals: 2 },
  { domain: 'amazon.ae', currency: 'AED', locale: 'en-AE', decimals: 2 },
  { domain: 'amazon.sa', currency: 'SAR', locale: 'ar-SA', decimals: 2 },
  { domain: 'amazon.eg', currency: 'EGP', locale: 'ar-EG', decimals: 2 },
  { domain: 'amazon.co.za', currency: 'ZAR', locale: 'en-ZA', decimals: 2 },
  { domain: 'amazon.in', currency: 'INR', locale: 'en-IN', decimals: 2 },
  { domain: 'amazon.co.jp', currency: 'JPY', locale: 'ja-JP', decimals: 0 },
  { domain: 'amazon.sg', currency: 'SGD', locale: 'en-SG', decimals: 2 },
  { domain: 'amazon.com.au', currency: 'AUD', locale: 'en-AU', decimals: 2 },
]

export const marketplaces: readonly MarketplaceFacts[] = rows.map((row) => ({
  ...row,
  name: `A${row.domain.slice(1)}`,
  ownSellerId: ownSellerIds[row.domain] ?? null,
  imageCountry: imageCountries[row.domain] ?? '01',
}))

/** The marketplace of a domain such as `amazon.in` or `www.amazon.in`, or undefined. */
export function marketplaceByDomain(domain: string): MarketplaceFacts | undefined {
  const bare = domain
    .trim()
    .toLowerCase()
    .replace(/^(www|smile|m)\./, '')
  return marketplaces.find((marketplace) => marketplace.domain === bare)
}
