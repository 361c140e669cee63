import { marketplaceByDomain } from './marketplaces.ts'

/** The sizes of a product's picture, smallest first. `box` is what it is meant to fill; the picture keeps its shape. */
export const imageSizes = [
  { name: 'small', code: 'THUMBZZZ', box: '40x60' },
  { name: 'standard', code: 'MZZZZZZZ', box: '93x140' },
  { name: 'large', code: 'LZZZZZZZ', box: '317x475' },
] as const
export type ImageSize = (typeof imageSizes)[number]['name']

export const defaultImageSize: ImageSize = 'large'

const host = 'https://images-na.ssl-images-amazon.com'

/**
 * The address of the picture of the item `asin` in the shop of that domain. A product without a picture is answered
 * with an image of one pixel, so an address alone doesn't tell whether there is one.
 */
export function imageLink(asin: string, size: ImageSize, domain: string): string {
  const country = marketplaceByDomain(domain)?.imageCountry ?? '01'
  const code = imageSizes.find(({ name }) => name === size)?.code ?? 'LZZZZZZZ'
  return `${host}/images/P/${encodeURIComponent(asin)}.${country}.${code}.jpg`
}
