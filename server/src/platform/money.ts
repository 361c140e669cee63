import type { Marketplace } from '@dealdeck/marketplace/marketplaces'

const formats = new Map<string, Intl.NumberFormat>()

/** An amount as the marketplace's country writes it. */
export function money(amount: number, { locale, currency }: Marketplace): string {
  let format = formats.get(`${locale} ${currency}`)
  if (!format) {
    format = new Intl.NumberFormat(locale, { style: 'currency', currency })
    formats.set(`${locale} ${currency}`, format)
  }
  return format.format(amount)
}

/** The same without its currency. */
export function plainAmount(amount: number, { locale, decimals }: Marketplace): string {
  return amount.toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: 2 })
}
