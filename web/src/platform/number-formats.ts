import type { PublicSettings } from '@dealdeck/contract/settings'
import { once } from './once.ts'

/** How this installation writes numbers. Money is in the marketplace's currency, times are ISO 8601. */
export type MarketplaceFormats = PublicSettings & {
  /** 12.5 → '$12.50' */
  money(amount: number): string
  /** How many digits an amount has behind its point: 2, of yen 0. */
  decimals: number
  /** 2255 → '2,255' */
  number(value: number): string
  /** 40 → '40%' */
  percent(hundredths: number): string
  /** '3 min ago'; `now` in milliseconds. */
  ago(time: string, now?: number): string
  /** The exact local time, for hovering. */
  exactTime(time: string): string
}

/** The formatters of an installation; pure, made once per settings. */
export function marketplaceFormats(settings: PublicSettings): MarketplaceFormats {
  const { locale, currency } = settings
  const money = once(() => new Intl.NumberFormat(locale, { style: 'currency', currency }))
  const number = once(() => new Intl.NumberFormat(locale))
  const percent = once(() => new Intl.NumberFormat(locale, { style: 'percent' }))
  const exact = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  return {
    ...settings,
    money: (amount) => money().format(amount),
    get decimals() {
      return money().resolvedOptions().maximumFractionDigits ?? 2
    },
    number: (value) => number().format(value),
    percent: (hundredths) => percent().format(hundredths / 100),
    ago: relativeTime,
    exactTime: (time) => exact().format(new Date(time)),
  }
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** In days. */
const averageMonth = 30.44

/**
 * How long ago an ISO time was, in the words of the interface: 'just now', '3 min ago', '2 h ago', '5 days ago', from two
 * months on '7 months ago', from two years on '3 years ago'. A time in the future, as a slow clock makes it, is 'just now'.
 */
export function relativeTime(time: string, now = Date.now()): string {
  const age = now - Date.parse(time)
  if (age < minute) return 'just now'
  if (age < hour) return `${Math.floor(age / minute)} min ago`
  if (age < day) return `${Math.floor(age / hour)} h ago`
  const days = Math.floor(age / day)
  const months = Math.floor(days / averageMonth)
  if (months >= 24) return `${Math.floor(months / 12)} years ago`
  if (months >= 2) return `${months} months ago`
  return days === 1 ? '1 day ago' : `${days} days ago`
}
