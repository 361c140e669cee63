/**
 * The paths of the web app's screens. Anything else the server doesn't know either is answered with 404, and the app
 * shows that there is nothing. `/brands` and `/import` are earlier addresses, which lead to a tab each; `$asin` stands for
 * the ASIN of a deal.
 */
export const placePaths = [
  '/',
  '/amazon-haul',
  '/deals/$asin',
  '/tools',
  '/filters',
  '/brands',
  '/image-tools',
  '/import',
  '/admin-dashboard',
  '/profile',
  '/searches',
  '/alerts',
] as const
export type PlacePath = (typeof placePaths)[number]

/** Whether there is a screen at this path; as the app's router, whatever the case and with a slash at the end too. */
export function isPlace(path: string): boolean {
  const plain = path.toLowerCase().replace(/\/$/, '') || '/'
  return placePaths.some((place) => place === plain) || asinOf(path) !== undefined
}

/** The ASIN whose page is at this path. */
export function asinOf(path: string): string | undefined {
  return /^\/deals\/([a-z0-9]{10})\/?$/i.exec(path)?.[1]?.toUpperCase()
}
