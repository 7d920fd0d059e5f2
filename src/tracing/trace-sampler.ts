import { ROOT_CONTEXT, type SpanContext, TraceFlags } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'

/** Decides whether to sample a trace; `parent` is set if the trace continues one of a client. */
export type TraceSampler = (parent?: SpanContext) => boolean

/**
 * Creates one of the standard samplers. New traces are sampled before their ids and attributes are
 * created; the SDK would create those of a hundred traces to keep one.
 */
export function createTraceSampler({ name, ratio }: { name: string; ratio: number }): TraceSampler {
  const [, isParentBased, rootSampler = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const share = { always_on: 1, always_off: 0 }[rootSampler] ?? ratio
  const byId = new TraceIdRatioBasedSampler(share)
  return (parent) => {
    if (!parent) return Math.random() < share
    if (isParentBased) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0
    // All services that sample by trace id make the same decision.
    const { decision } = byId.shouldSample(ROOT_CONTEXT, parent.traceId)
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}
