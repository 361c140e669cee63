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

export const marketplaces: readonly Marketplace[] = [
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

/** The marketplace of a domain such as `amazon.in` or `www.amazon.in`, or undefined. */
export function marketplaceByDomain(domain: string): Marketplace | undefined {
  const bare = domain
    .trim()
    .toLowerCase()
    .replace(/^(www|smile|m)\./, '')
  return marketplaces.find((marketplace) => marketplace.domain === bare)
}
