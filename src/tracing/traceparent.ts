import { type SpanContext, TraceFlags } from '@opentelemetry/api'

const ALL_ZEROS = /^0+$/

/**
 * Parses the span of a client from its `traceparent` header (W3C Trace Context); undefined if it is
 * invalid or was sent more than once. Later versions may append fields after a dash.
 */
export function parseTraceparent(header: string | string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header)
  const [, version = 'ff', traceId = '', spanId = '', flags = '', extra] = match ?? []
  if (version === 'ff' || (version === '00' && extra !== undefined)) return undefined
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return undefined
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}
