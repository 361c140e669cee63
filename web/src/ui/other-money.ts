/** An amount in another money than that of the marketplace: '19.99 EUR'. */
export function otherMoney(amount: number, currency: string, locale: string): string {
  return `${amount.toLocaleString(locale, { minimumFractionDigits: 2 })} ${currency}`
}
