import type { BrowserContext, Request, Route } from '@playwright/test'

const pictureHosts = /(^|\.)(media-amazon\.com|ssl-images-amazon\.com)$/
const shopHosts = /(^|\.)amazon\.[a-z.]+$/
const shareHosts = /(^|\.)(twitter|x|facebook|linkedin|reddit|whatsapp|telegram)\.(com|org)$|^(wa|t)\.me$/

// A 300×300 picture: small enough to keep here, big enough that it isn't the shop's 1×1 'no picture'.
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300" fill="#7a8ca5"/></svg>`

/** What a test saw of the world outside its own server. */
export type Outside = {
  /** Addresses of other hosts that were answered on their behalf: pictures, the shop, share targets. */
  answered: string[]
  /** Addresses nobody expected; a test with one of these fails. */
  unexpected: string[]
}

/** Keeps every request on this machine: known third parties get a made-up answer, all others are refused and noted. */
export async function guardNetwork(context: BrowserContext, origin: string): Promise<Outside> {
  const outside: Outside = { answered: [], unexpected: [] }
  // A pattern is matched beside the browser; a function is called here for each request there is.
  const others = new RegExp(`^https?://(?!${new URL(origin).host.replaceAll('.', '\\.')}/)`)
  await context.route(others, (route, request) => answerOutside(route, request, outside))
  return outside
}

async function answerOutside(route: Route, request: Request, outside: Outside): Promise<void> {
  const { hostname } = new URL(request.url())
  if (pictureHosts.test(hostname) && request.resourceType() === 'image') {
    outside.answered.push(request.url())
    await route.fulfill({ contentType: 'image/svg+xml', body: picture })
  } else if ((shopHosts.test(hostname) || shareHosts.test(hostname)) && request.isNavigationRequest()) {
    outside.answered.push(request.url())
    await route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' })
  } else {
    outside.unexpected.push(request.url())
    await route.abort()
  }
}
