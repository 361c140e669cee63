import type { Marketplace } from '@dealdeck/marketplace/marketplaces'

/** Writes a number as everything else on the screens: 1,234 or 1.234. */
export type NumberText = (value: number) => string

const formats = new Map<string, NumberText>()

/** How the marketplace's country writes numbers. */
export function numberText({ locale }: Pick<Marketplace, 'locale'>): NumberText {
  const known = formats.get(locale)
  if (known) return known
  const { format } = new Intl.NumberFormat(locale)
  formats.set(locale, format)
  return format
}
