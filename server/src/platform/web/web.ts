import { fileURLToPath } from 'node:url'
import { isPlace } from '@dealdeck/contract/places'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { sendError } from '../http/http-errors.ts'
import { permissionsPolicy } from '../http/security-headers.ts'
import type { FirstScreen } from './first-screens.ts'
import { type PageOptions, preloadedResponses } from './preloaded-responses.ts'
import { WebPages } from './web-pages.ts'

const webFolder = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))
const samplePictures = fileURLToPath(new URL('../../../sample-deals/images/', import.meta.url))
const yearSeconds = 31_536_000

export type WebOptions = PageOptions & {
  /** The screen of a path whose responses are preloaded with the page, given whether the address has no query. */
  screenOf: (path: string, isPlain: boolean) => FirstScreen | undefined
  /** Where the built web app is, with a slash at the end; the checkout's own unless given. */
  folder?: string | undefined
}

/**
 * Serves the built web app and the sample pictures. A path of a screen gets the app's page, and so does any other that a
 * browser navigates to, with 404: the app says that there is nothing.
 */
export async function registerWeb(app: FastifyInstance, options: WebOptions): Promise<void> {
  const { folder = webFolder } = options
  const pages = new WebPages(folder)
  const noPage = (request: FastifyRequest, reply: FastifyReply) =>
    sendError(new AppError('NOT_FOUND', 'There is nothing at this address.'), request, reply)
  // Before the folder's own: this page too is made for whoever asks.
  app.get('/', { config: { access: 'open' } }, (request, reply) =>
    pages.isBuilt ? sendPage(app, reply, pages, options) : noPage(request, reply),
  )
  app.setNotFoundHandler((request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isPage = isRead && request.headers.accept?.includes('text/html')
    const path = request.url.split('?')[0] ?? ''
    if (isPage && !/^\/(api|assets|sample-images)(\/|$)/.test(path) && pages.isBuilt) {
      return sendPage(app, reply.status(isPlace(path) ? 200 : 404), pages, options)
    }
    return noPage(request, reply)
  })
  await app.register(async (scope) => {
    // The plugin's own routes can't carry a config, so they are declared open here.
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' }
    })
    await scope.register(staticFiles, {
      root: samplePictures,
      prefix: '/sample-images/',
      decorateReply: false,
      maxAge: yearSeconds,
      setHeaders: nameCharacters,
    })
    await scope.register(staticFiles, {
      root: folder,
      prefix: '/',
      wildcard: true,
      // What the build says of itself is for this server alone.
      dotfiles: 'ignore',
      preCompressed: true,
      setHeaders: (reply, path) => {
        nameCharacters(reply, path)
        const isHashed = path.includes('/assets/')
        reply.header('cache-control', isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache')
        if (path.endsWith('.html')) reply.header('permissions-policy', permissionsPolicy)
      },
    })
  })
}

/** The page with what its reader would ask for first: personal, so nobody keeps it. */
async function sendPage(
  app: FastifyInstance,
  reply: FastifyReply,
  pages: WebPages,
  options: WebOptions,
): Promise<FastifyReply> {
  const { url } = reply.request
  // Not parsed as an address: what a browser would never send must get a page too.
  const [path = '/'] = url.split('?')
  const screen = options.screenOf(path, path === url)
  const answers = await preloadedResponses(app, reply, screen, options)
  const picture = answers && screen?.picture?.(answers)
  const title = answers && screen?.title?.(answers)
  const html = pages.make({ path, source: screen?.source, answers, picture, title })
  return reply
    .header('cache-control', 'no-store')
    .header('permissions-policy', permissionsPolicy)
    .type('text/html; charset=utf-8')
    .send(html)
}

/** A drawing is a text as well, and a reader who guesses its characters may read another one. */
function nameCharacters(reply: { header(name: string, value: string): unknown }, path: string): void {
  if (/\.svg(\.(gz|br))?$/.test(path)) reply.header('content-type', 'image/svg+xml; charset=utf-8')
}
