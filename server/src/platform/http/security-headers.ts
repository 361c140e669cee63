import type { FastifyInstance, FastifyRequest } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answers are data alone, which no browser renders: they get the strict headers of data. */
    isData?: true
  }
}

/**
 * What answers carry that are data alone, or are sent before or beside the usual hooks: no browser may render them, frame
 * them, guess another type for them, load them from another site, or tell another site where it was.
 */
export const dataHeaders = {
  'content-security-policy': "default-src 'none';object-src 'none';base-uri 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** What answers carry beside that to users who come over https: for a year, and for every host below ours. */
export const transportHeaders = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const

/** What our own pages may not use, nor anything in them. */
export const permissionsPolicy = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/** Whether a request came over https: from us to a proxy that says so, or because users reach us by https only. */
export function isSecure(request: FastifyRequest, publicUrl: string): boolean {
  return publicUrl.startsWith('https:') || request.protocol === 'https'
}

/**
 * Gives every answer the policy of our pages, but the strict headers of data where a route says `isData`.
 * `publicUrl` is the setting.
 */
export function sendSecurityHeaders(app: FastifyInstance, publicUrl: string): void {
  const setPolicy = helmet(policy)
  // With a callback, not async: a promise for each request would be the dearer half of it.
  app.addHook('onRequest', (request, reply, done) => {
    if (isSecure(request, publicUrl)) reply.headers(transportHeaders)
    // On the reply they would win over those of the policy.
    if (!request.routeOptions.config.isData) return setPolicy(request.raw, reply.raw, () => done())
    reply.headers(dataHeaders)
    done()
  })
}

const policy: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      // Product pictures come from wherever the imported rows say.
      imgSrc: ["'self'", 'https:', 'data:'],
      // The component library writes its theme and what depends on the width of the screen into style elements.
      styleSrc: ["'self'", "'unsafe-inline'"],
      scriptSrc: ["'self'"],
      scriptSrcAttr: ["'none'"],
      connectSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  crossOriginEmbedderPolicy: false,
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
}
