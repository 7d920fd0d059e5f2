import {
  beginBulkChange,
  type PendingBulkChange,
  settleBulkChange,
} from '../tasks/pending-bulk-change.ts'
import { type BatchOutcome, onBatchOutcome, reportBatchOutcome } from './batch-outcomes.ts'
import { cancelMutation, mutationLog } from './mutation-queue.ts'

const QUEUE_KEY = 'bulk'

/** At most 100 tasks of a bulk change, which one request changes, as the page that makes it sees it. */
export class MutationBatch {
  /** Resolves once the server has answered or the batch is canceled. */
  readonly finished: Promise<BatchOutcome>
  readonly project_id: string
  readonly size: number
  /** Whether the batch was canceled before it was sent. */
  isCanceled = false
  readonly #label: string
  readonly #key = crypto.randomUUID()
  #change: PendingBulkChange

  /** `label` describes the change, for the message that it is not saved. */
  constructor(label: string, intended: Omit<PendingBulkChange, 'changes'>) {
    this.#label = label
    this.#change = { ...intended, changes: [] }
    this.project_id = intended.project_id
    this.size = intended.numbers.length
    const { promise, resolve } = Promise.withResolvers<BatchOutcome>()
    this.finished = promise
    onBatchOutcome(this.#key, resolve)
  }

  start(): void {
    this.#change = beginBulkChange(this.#change, this.#key)
    mutationLog.add({
      key: this.#key,
      queueKey: QUEUE_KEY,
      label: this.#label,
      payload: { kind: 'bulk', ...this.#change, sent: [] },
    })
  }

  /** Cancels the batch if it was not sent yet. */
  cancel(): void {
    if (!cancelMutation(this.#key)) return
    this.isCanceled = true
    settleBulkChange(this.#change, this.#key)
    reportBatchOutcome(this.#key, { refused: [], inverse: [] })
  }
}
