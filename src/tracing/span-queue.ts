import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace'

/** Spans queued for the collector: a few megabytes. */
const MAX_QUEUED_SPANS = 4_096
const MAX_BATCH_SIZE = 512
const EXPORT_INTERVAL_MS = 2_000

/** The numbers of spans by outcome so far. */
export interface SpanOutcomes {
  sent: number
  /** Rejected by the collector, or it did not answer. */
  failed: number
  /** Dropped because the queue was full. */
  dropped: number
}

/** Called when the collector stops accepting spans, and when it accepts them again. */
export interface CollectorHealthListener {
  onLost(error: unknown): void
  onRecovered(): void
}

/**
 * Exports ended spans in batches, one at a time, and drops spans while the queue is full. The batch
 * processor of the SDK has the same limit, but does not report how many it drops.
 */
export function createSpanQueue(
  exporter: SpanExporter,
  { onLost, onRecovered }: CollectorHealthListener,
) {
  const outcomes: SpanOutcomes = { sent: 0, failed: 0, dropped: 0 }
  let queued = 0
  let isLost = false

  const countingExporter: SpanExporter = {
    export(spans, onResult) {
      queued -= spans.length
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        outcomes[failed ? 'failed' : 'sent'] += spans.length
        if (failed && !isLost) onLost(result.error)
        if (!failed && isLost) onRecovered()
        isLost = failed
        onResult(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const batches = new BatchSpanProcessor({
    exporter: countingExporter,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH_SIZE,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
  })
  const processor: SpanProcessor = {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if (queued >= MAX_QUEUED_SPANS) {
        outcomes.dropped += 1
        return
      }
      queued += 1
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
  return { processor, outcomes }
}
