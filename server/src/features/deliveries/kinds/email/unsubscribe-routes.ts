import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../../../../platform/deps.ts'
import { callerAddress, networkOf } from '../../../../platform/http/caller-address.ts'
import { goneSignal } from '../../../../platform/http/gone-signal.ts'
import type { MemberGate } from '../../../../platform/limits/member-gate.ts'
import { escapeHtml } from '../texts.ts'
import { findUnsubscribing, pauseByLink } from './unsubscribing.ts'

const style =
  ':root{color-scheme:light dark}body{font:17px/1.5 system-ui,sans-serif;max-width:520px;margin:0 auto;padding:48px 20px}h1{font-size:22px;margin:0 0 12px}button{font:inherit;font-weight:600;padding:10px 20px;border-radius:8px;border:0;background:#1a5fb4;color:#fff;cursor:pointer}a{color:inherit}'

/** Nothing but that style and a form to ourselves. */
const headers = {
  'content-security-policy': `default-src 'none';style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';form-action 'self';base-uri 'none';frame-ancestors 'none'`,
  // The form says where it comes from, but no other site is told.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

/**
 * The addresses by which mail is unsubscribed from. Whatever opens links, such as a scanner of mail, gets a page that changes nothing; a
 * request of the page's button, or of a mail program (RFC 8058, without a cookie or an origin), pauses the destination. `gate` as of feeds.
 */
export function registerUnsubscribeRoutes(
  app: FastifyInstance,
  { databases }: Pick<AppDeps, 'databases'>,
  gate: MemberGate,
): void {
  const find = async (request: FastifyRequest, reply: FastifyReply) => {
    const turn = await gate.enter(networkOf(callerAddress(request)), goneSignal(reply))
    return findUnsubscribing(databases, String(Object(request.params).token)).finally(turn.end)
  }
  const config = { access: 'open', isData: true } as const
  // In a scope of its own: nowhere else are such bodies taken. What they say doesn't matter.
  app.register(async (scope) => {
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data']
    scope.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit: 4_096 }, (_, __, done) => done(null))

    scope.get('/unsubscribe/:token', { config }, async (request, reply) => {
      const found = await find(request, reply)
      if (!found) return answer(reply, 404, unknown)
      return answer(reply, 200, found.isPaused ? pausedPage(found.name) : askingPage(found))
    })
    scope.post('/unsubscribe/:token', { config }, async (request, reply) => {
      const found = await find(request, reply)
      if (!found) return answer(reply, 404, unknown)
      await pauseByLink(databases, found)
      return answer(reply, 200, pausedPage(found.name))
    })
  })
}

const unknown = page(
  'This link leads nowhere any more',
  '<p>What it was for was removed or changed in Dealdeck, so there is nothing to end.</p>',
)

function askingPage({ name, address }: { name: string; address: string }): string {
  return page(
    'Get no more of these messages?',
    `<p>Dealdeck sends alerts to ${escapeHtml(masked(address))} (“${escapeHtml(name)}”). The button pauses all of them. Nothing is removed, and whoever set it up can resume it.</p><form method="post"><button>Send no more</button></form>`,
  )
}

function pausedPage(name: string): string {
  return page(
    'Nothing more is sent',
    `<p>“${escapeHtml(name)}” is paused. To get messages again, <a href="/">open Dealdeck</a> and resume it under Alerts.</p>`,
  )
}

/** A link may be passed on with its message: `ma…@example.org`. */
function masked(address: string): string {
  return address.replace(/^(.{1,2}).*@/, '$1…@')
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><main><h1>${title}</h1>${body}</main></html>`
}

function answer(reply: FastifyReply, status: number, html: string) {
  return reply.status(status).headers(headers).type('text/html; charset=utf-8').send(html)
}
