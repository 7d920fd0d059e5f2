import { ROOT_CONTEXT, type SpanContext, TraceFlags } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'

/** Whether a trace is taken; of one that goes on, `parent` is where. */
export type Sampling = (parent?: SpanContext) => boolean

/**
 * The standard samplers. Of a trace that begins here its share is drawn before anything is made for it:
 * the library would make ids and attributes for each of a hundred to take one.
 */
export function samplingBy({ name, ratio }: { name: string; ratio: number }): Sampling {
  const [, believes, own = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const share = { always_on: 1, always_off: 0 }[own] ?? ratio
  const byId = new TraceIdRatioBasedSampler(share)
  return (parent) => {
    if (!parent) return Math.random() < share
    if (believes) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0
    // All who go by the id of a trace decide the same.
    const { decision } = byId.shouldSample(ROOT_CONTEXT, parent.traceId)
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}
