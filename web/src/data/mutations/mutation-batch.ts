import { beginBulkChange, type PendingBulkChange } from '../tasks/pending-bulk-change.ts'
import { type BatchOutcome, onBatchOutcome, reportBatchOutcome } from './batch-outcomes.ts'
import { cancelMutation, mutationLog } from './mutation-queue.ts'

const QUEUE_KEY = 'bulk'

/** At most 100 tasks of a bulk change, which one request changes, as the page that makes it sees it. */
export class MutationBatch {
  /** Resolves once the server has answered or the batch is canceled. */
  readonly finished: Promise<BatchOutcome>
  /** Its tasks and their change. */
  readonly target: Omit<PendingBulkChange, 'changes'>
  readonly size: number
  /** Whether the batch was canceled before it was sent. */
  isCanceled = false
  readonly #label: string
  readonly #key = crypto.randomUUID()

  /** `label` describes the change, for the message that it is not saved. */
  constructor(label: string, target: Omit<PendingBulkChange, 'changes'>) {
    this.#label = label
    this.target = target
    this.size = target.numbers.length
    const { promise, resolve } = Promise.withResolvers<BatchOutcome>()
    this.finished = promise
    onBatchOutcome(this.#key, resolve)
  }

  start(): void {
    const intended = { ...this.target, changes: [] }
    mutationLog.add({
      key: this.#key,
      queueKey: QUEUE_KEY,
      label: this.#label,
      payload: { kind: 'bulk', ...beginBulkChange(intended, this.#key), sent: [] },
    })
  }

  /** Cancels the batch if it was not sent yet. */
  cancel(): void {
    if (!cancelMutation(this.#key)) return
    this.isCanceled = true
    reportBatchOutcome(this.#key, { refused: [], inverse: [] })
  }
}
