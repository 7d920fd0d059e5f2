import type { SpanContext } from '@opentelemetry/api'

/** So many operations are remembered, the newest: a few minutes of a busy process. */
const MOST = 10_000

/** By which span each operation was written, so that what it causes is found in the same trace. */
export class Causes {
  readonly #spans = new Map<string, SpanContext>()

  get(operation_id: string): SpanContext | undefined {
    return this.#spans.get(operation_id)
  }

  note(operation_id: string, span: SpanContext): void {
    this.#spans.set(operation_id, span)
    if (this.#spans.size <= MOST) return
    for (const oldest of this.#spans.keys()) {
      this.#spans.delete(oldest)
      return
    }
  }
}
