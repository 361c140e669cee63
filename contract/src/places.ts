/**
 * The paths of the web app's screens. Anything else the server doesn't know either is answered with 404, and the app
 * shows that there is nothing. `/brands` and `/import` are earlier addresses, which lead to a tab each.
 */
export const placePaths = [
  '/',
  '/amazon-haul',
  '/tools',
  '/filters',
  '/brands',
  '/image-tools',
  '/import',
  '/admin-dashboard',
  '/profile',
  '/searches',
] as const
export type PlacePath = (typeof placePaths)[number]
