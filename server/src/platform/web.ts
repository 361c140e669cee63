import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { AppError } from './errors.ts'
import { sendError } from './http-errors.ts'
import { permissionsPolicy } from './security-headers.ts'

const webFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url))
const samplePictures = fileURLToPath(new URL('../../sample-deals/images/', import.meta.url))
const yearSeconds = 31_536_000

/** Serves the built web app and the sample pictures; any other path that a browser navigates to gets the app's page. */
export async function registerWeb(app: FastifyInstance): Promise<void> {
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html')
    const path = request.url.split('?')[0] ?? ''
    if (isPage && !/^\/(api|assets|sample-images)(\/|$)/.test(path) && existsSync(`${webFolder}index.html`)) {
      return reply
        .header('cache-control', 'no-cache')
        .header('permissions-policy', permissionsPolicy)
        .sendFile('index.html', webFolder)
    }
    return sendError(new AppError('NOT_FOUND', 'There is nothing at this address.'), request, reply)
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
      root: webFolder,
      prefix: '/',
      wildcard: true,
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

/** A drawing is a text as well, and a reader who guesses its characters may read another one. */
function nameCharacters(reply: { header(name: string, value: string): unknown }, path: string): void {
  if (/\.svg(\.(gz|br))?$/.test(path)) reply.header('content-type', 'image/svg+xml; charset=utf-8')
}
