import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '#core/actor.ts'
import type { Span } from '#core/traces.ts'
import type { Log } from './log.ts'

/**
 * A line for each request: what was asked by pattern, by whom, how it ended. Never what the address,
 * the query, headers or bodies hold.
 */
export function logRequests(server: FastifyInstance, log: Log): void {
  if (!log.isLevelEnabled('info')) return
  server.addHook('onResponse', (request, reply, done) => {
    const { id, method, routeOptions, actor, arrivedAt, span } = request
    const { statusCode: status } = reply.raw
    log.line(accessLine({ id, method, route: routeOptions.url, status, arrivedAt, actor, span }))
    done()
  })
}

/** What a line tells of a request. */
interface Told extends Pick<FastifyRequest, 'id' | 'method' | 'arrivedAt'> {
  status: number
  route?: string | undefined
  actor?: Pick<Actor, 'workspace_id' | 'credential_id'> | null
  span?: Span | undefined
}

/**
 * All of it is ours, with nothing to strike out or to escape: what every request pays for is put
 * together by hand, in a fifth of the time that pino takes with its redaction.
 */
export function accessLine({ id, method, route, status, arrivedAt, actor, span }: Told): string {
  const ms = Math.round((performance.now() - arrivedAt) * 100) / 100
  const of = `"workspace_id":${text(actor?.workspace_id)},"credential_id":${text(actor?.credential_id)}`
  return (
    `{"level":30,"time":"${new Date().toISOString()}","request_id":"${id}","method":"${method}",` +
    `"route":${text(route)},"status":${status},"ms":${ms},${of}${span ? traceOf(span) : ''}}`
  )
}

const traceOf = ({ trace_id, span_id }: Span) => `,"trace_id":"${trace_id}","span_id":"${span_id}"`

const text = (value: string | null | undefined) => (value ? `"${value}"` : 'null')
