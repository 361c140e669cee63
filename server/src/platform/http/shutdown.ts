import type { FastifyInstance } from 'fastify'

/** How long requests under way may take to finish once the end has begun, in milliseconds. */
export const finishMs = 2_500
/** Node closes idle connections once, when the server closes; those that fall idle later are looked for this often. */
const lookMs = 50

/**
 * At the end lets requests under way finish, and cuts what is still open after `finishMs`: a body that never comes to its
 * end, or an import of many minutes, which its sender sends again.
 */
export function finishRequests(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const { server } = app
    const idle = setInterval(() => server.closeIdleConnections(), lookMs).unref()
    const late = setTimeout(() => server.closeAllConnections(), finishMs).unref()
    server.once('close', () => {
      clearInterval(idle)
      clearTimeout(late)
    })
  })
}
