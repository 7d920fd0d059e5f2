import type { SpanContext } from '@opentelemetry/api'

/** The newest operations to remember: a few minutes of a busy process. */
const MAX_OPERATIONS = 10_000

/** The span that wrote each operation, so that its deliveries join the same trace. */
export class OperationSpans {
  readonly #spans = new Map<string, SpanContext>()

  get(operation_id: string): SpanContext | undefined {
    return this.#spans.get(operation_id)
  }

  remember(operation_id: string, span: SpanContext): void {
    this.#spans.set(operation_id, span)
    if (this.#spans.size <= MAX_OPERATIONS) return
    for (const oldest of this.#spans.keys()) {
      this.#spans.delete(oldest)
      return
    }
  }
}
