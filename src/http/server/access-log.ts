import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '#core/actor.ts'
import type { TraceSpan } from '#core/trace-recorder.ts'
import { timestampOf } from '#lib/clock.ts'
import type { AppContext } from '../app-context.ts'
import { clientAddressOf } from '../request/client-address.ts'

/** Called with a request whose reply has been sent, or whose client has left. */
export type RequestEndListener = (
  request: FastifyRequest,
  end: { route: string | undefined; status: number },
) => void

type AddressContext = Pick<AppContext, 'logAddresses' | 'trustProxy'>

/**
 * Writes one line for each request: method, route pattern, credential, status, duration and the
 * address of the client. It never logs the URL, headers or bodies, which may hold secrets.
 */
export function createAccessLog(context: AppContext): RequestEndListener {
  const { log } = context
  if (!log.isLevelEnabled('info')) return () => {}
  return ({ id, method, raw, actor, arrivedAt, span }, { route, status }) => {
    const address = loggedAddressOf(raw, context)
    log.line(formatAccessLogLine({ id, method, route, status, arrivedAt, actor, span, address }))
  }
}

/** The address of a client for the log; undefined if the operator wants no addresses in it. */
export const loggedAddressOf = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { logAddresses, trustProxy }: AddressContext,
): string | null | undefined => (logAddresses ? clientAddressOf(request, trustProxy) : undefined)

interface AccessLogEntry extends Pick<FastifyRequest, 'id' | 'arrivedAt'> {
  method: string | null
  status: number
  route?: string | undefined
  address: string | null | undefined
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
  address,
}: AccessLogEntry): string {
  const ms = Math.round((performance.now() - arrivedAt) * 100) / 100
  const credential = `"workspace_id":${jsonText(actor?.workspace_id)},"credential_id":${jsonText(actor?.credential_id)}`
  return (
    `{"level":30,"time":"${timestampOf(Date.now())}","request_id":"${id}","method":${jsonText(method)},` +
    `"route":${jsonText(route)},"status":${status},"ms":${ms},${credential}` +
    `${address === undefined ? '' : `,"address":${jsonText(address)}`}${span ? traceFields(span) : ''}}`
  )
}

const traceFields = ({ trace_id, span_id }: TraceSpan) =>
  `,"trace_id":"${trace_id}","span_id":"${span_id}"`

const jsonText = (value: string | null | undefined) => (value ? `"${value}"` : 'null')
