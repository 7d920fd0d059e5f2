import type { FastifyInstance } from 'fastify'
import type { Log } from './log.ts'

/**
 * A line for each request: what was asked by pattern, by whom, how it ended. Never what the address,
 * the query, headers or bodies hold.
 */
export function logRequests(server: FastifyInstance, log: Log): void {
  if (!log.isLevelEnabled('info')) return
  server.addHook('onResponse', (request, reply, done) => {
    const { actor } = request
    log.info({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.raw.statusCode,
      ms: Math.round((performance.now() - request.arrivedAt) * 100) / 100,
      workspace_id: actor?.workspace_id ?? null,
      credential_id: actor?.credential_id ?? null,
    })
    done()
  })
}
