import { type SpanContext, TraceFlags } from '@opentelemetry/api'

const NONE = /^0+$/

/**
 * The span of a client that a `traceparent` header names (W3C Trace Context); undefined if it is not
 * valid, or was sent more than once. A version after ours may say more behind a dash.
 */
export function remoteOf(header: string | string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header)
  const [, version = 'ff', traceId = '', spanId = '', flags = '', more] = form ?? []
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}
