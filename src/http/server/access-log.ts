import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '#core/actor.ts'
import type { TraceSpan } from '#core/trace-recorder.ts'
import type { Logger } from './log.ts'

/**
 * Writes one line for each request: method, route pattern, credential, status and duration. It
 * never logs the address, the query, headers or bodies, which may hold secrets.
 */
export function logRequests(server: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('info')) return
  server.addHook('onResponse', (request, reply, done) => {
    const { id, method, routeOptions, actor, arrivedAt, span } = request
    const { statusCode: status } = reply.raw
    log.line(
      formatAccessLogLine({ id, method, route: routeOptions.url, status, arrivedAt, actor, span }),
    )
    done()
  })
}

interface AccessLogEntry extends Pick<FastifyRequest, 'id' | 'method' | 'arrivedAt'> {
  status: number
  route?: string | undefined
  actor?: Pick<Actor, 'workspace_id' | 'credential_id'> | null
  span?: TraceSpan | undefined
}

/**
 * Every value is produced by the server, so nothing needs redaction or escaping. Every request pays
 * for its line: building the JSON by hand takes a fifth of the time that pino takes with redaction.
 */
export function formatAccessLogLine({
  id,
  method,
  route,
  status,
  arrivedAt,
  actor,
  span,
}: AccessLogEntry): string {
  const ms = Math.round((performance.now() - arrivedAt) * 100) / 100
  const credential = `"workspace_id":${jsonText(actor?.workspace_id)},"credential_id":${jsonText(actor?.credential_id)}`
  return (
    `{"level":30,"time":"${new Date().toISOString()}","request_id":"${id}","method":"${method}",` +
    `"route":${jsonText(route)},"status":${status},"ms":${ms},${credential}${span ? traceFields(span) : ''}}`
  )
}

const traceFields = ({ trace_id, span_id }: TraceSpan) =>
  `,"trace_id":"${trace_id}","span_id":"${span_id}"`

const jsonText = (value: string | null | undefined) => (value ? `"${value}"` : 'null')
