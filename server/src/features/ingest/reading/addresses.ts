import { asinOf } from '@dealdeck/marketplace/asin'
import { defaultImageSize, imageLink } from '@dealdeck/marketplace/image-links'
import { trimmed } from '@dealdeck/marketplace/pieces'
import { decode } from 'html-entities'
import { cellText } from './text.ts'

const limit = 2000
const plain = /^https:\/\/[a-z0-9.-]+\/[!#-;=?-[\]_a-z~]+$/i
/** The shop's old picture widget: it answers no picture any more. */
const dead =
  /(?:^|[/.])(?:ws-[a-z]{2}|ir-[a-z]{2}|rcm-[a-z]{2})\.(?:amazon|assoc-amazon)[a-z-]*\.[a-z.]+\/(?:widgets|e)\//i
const mayBeDead = (address: string) => address.includes('/widgets/') || address.includes('/e/')
const shopPictures = /^http:\/\/(?=[a-z0-9.-]*(?:images-amazon|media-amazon|ssl-images-amazon)\.[a-z.]+\/)/i

/** The widget that answered the picture of an item: which item it is, it says. */
const widget = /^ws-[a-z]{2}\.(?:amazon-adsystem|assoc-amazon)\.[a-z.]+$/

/**
 * The first usable http(s) picture address of a cell, or null. Of the shop's old picture widget it is the address of that
 * item's picture. Where a cell states pictures and none is usable, `onRefused` hears the host of the first.
 */
export function readImage(
  value: unknown,
  domain: string,
  onRefused: (host: string) => void = () => undefined,
): string | null {
  if (typeof value === 'string' && value.length <= limit && plain.test(value) && !mayBeDead(value))
    return value
  const text = cellText(value)
  if (text === '') return null
  const parts = text.split(/[\s|]+|,(?=(?:https?:)?\/\/)/)
  for (const part of parts) {
    const address = pictureOf(part, domain)
    if (address !== null) return address
  }
  onRefused(hostOf(parts.find((part) => part !== '') ?? ''))
  return null
}

/** What is said of a refused address: its host, in 80 characters at most, or '' where it has none. */
function hostOf(part: string): string {
  const address = part.startsWith('//') ? `https:${part}` : part
  if (address.length > limit || !URL.canParse(address)) return ''
  return new URL(address).hostname.slice(0, 80)
}

function pictureOf(part: string, domain: string): string | null {
  // Each sign may be written as an entity of some ten; what is longer still is no address, only work.
  if (part.length > 10 * limit) return null
  const bare = decode(trimmed(part, `"'[(`, `"'])`), { scope: 'strict' })
  const address = bare.startsWith('//') ? `https:${bare}` : bare.replace(shopPictures, 'https://')
  if (address.length > limit || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return null
  const url = new URL(address)
  if (dead.test(address)) return pictureOfWidget(url, domain)
  return url.username === '' && url.password === '' && url.hostname.includes('.') ? url.href : null
}

function pictureOfWidget(url: URL, domain: string): string | null {
  if (!widget.test(url.hostname) || url.pathname !== '/widgets/q') return null
  const asin = asinOf(url.searchParams.get('ASIN') ?? '')
  return asin === null ? null : imageLink(asin, defaultImageSize, domain)
}
