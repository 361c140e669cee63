import { trimmed } from '@dealdeck/marketplace/pieces'
import { decode } from 'html-entities'
import { cellText } from './text.ts'

const limit = 2000
const plain = /^https:\/\/[a-z0-9.-]+\/[!#-;=?-[\]_a-z~]+$/i
/** The shop's old picture widget: it answers no picture any more. */
const dead =
  /(?:^|[/.])(?:ws-[a-z]{2}|ir-[a-z]{2}|rcm-[a-z]{2})\.(?:amazon|assoc-amazon)[a-z-]*\.[a-z.]+\/(?:widgets|e)\//i
const shopPictures = /^http:\/\/(?=[a-z0-9.-]*(?:images-amazon|media-amazon|ssl-images-amazon)\.[a-z.]+\/)/i

/** The first usable http(s) picture address of a cell, or null. */
export function readImage(value: unknown): string | null {
  if (typeof value === 'string' && value.length <= limit && plain.test(value) && !value.includes('/widgets/'))
    return value
  for (const part of cellText(value).split(/[\s|]+|,(?=(?:https?:)?\/\/)/)) {
    const address = pictureOf(part)
    if (address !== null) return address
  }
  return null
}

function pictureOf(part: string): string | null {
  // Each sign may be written as an entity of some ten; what is longer still is no address, only work.
  if (part.length > 10 * limit) return null
  const bare = decode(trimmed(part, `"'[(`, `"'])`), { scope: 'strict' })
  const address = bare.startsWith('//') ? `https:${bare}` : bare.replace(shopPictures, 'https://')
  if (address.length > limit || !/^https?:\/\//i.test(address) || dead.test(address)) return null
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  return url.username === '' && url.password === '' && url.hostname.includes('.') ? url.href : null
}
