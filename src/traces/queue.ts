import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace'

/** Spans that wait for the collector: some megabytes. */
const MOST_WAITING = 4_096
const AT_ONCE = 512
const EVERY_MS = 2_000

/** What became of spans so far. */
export interface Outcomes {
  sent: number
  /** The collector did not take them. */
  failed: number
  /** They did not fit into the queue. */
  dropped: number
}

/** Where it is told whether the collector takes what it is sent. */
export interface Trouble {
  lost(error: unknown): void
  found(): void
}

/**
 * Sends ended spans by the batch, one batch at a time, and drops what comes while so many wait. The
 * processor behind it has the same bound and would drop the same, but tells nobody how many.
 */
export function boundedQueue(exporter: SpanExporter, { lost, found }: Trouble) {
  const outcomes: Outcomes = { sent: 0, failed: 0, dropped: 0 }
  let waiting = 0
  let isLost = false

  const counted: SpanExporter = {
    export(spans, told) {
      waiting -= spans.length
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        outcomes[failed ? 'failed' : 'sent'] += spans.length
        if (failed && !isLost) lost(result.error)
        if (!failed && isLost) found()
        isLost = failed
        told(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const batches = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: MOST_WAITING,
    maxExportBatchSize: AT_ONCE,
    scheduledDelayMillis: EVERY_MS,
  })
  const processor: SpanProcessor = {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if (waiting >= MOST_WAITING) {
        outcomes.dropped += 1
        return
      }
      waiting += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
  return { processor, outcomes }
}
