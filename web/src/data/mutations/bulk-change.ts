import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { type Reversal, showToast, undoOf } from '../app/toasts.ts'
import type { BulkCommand } from '../tasks/bulk-command.ts'
import { beginBulkChange } from '../tasks/pending-bulk-change.ts'
import {
  type BatchOutcome,
  type BulkRejection,
  bulkProgress,
  onBatchOutcome,
  reportBatchOutcome,
} from './batch-outcomes.ts'
import type { NewMutation } from './mutation-entry.ts'
import { cancelMutation, mutationLog } from './mutation-queue.ts'
import type { StoredMutation } from './stored-mutation.ts'

export type { BulkRejection }

// What sends a bulk change is loaded with what makes one: later the network may be gone. If it does
// not load now, the log loads it once there is a network.
import('../tasks/bulk-change-kind.ts').catch(() => undefined)

const MAX_TASKS_PER_REQUEST = 100
const PROGRESS_DELAY_MS = 1_000

/** Tasks of one project, by number, and what changes in them. */
export interface BulkTarget {
  project_id: string
  numbers: readonly number[]
  command: BulkCommand
}

interface BulkTaskMutation {
  targets: readonly BulkTarget[]
  /** Describes the change, for messages. */
  label: string
  /**
   * Called once at the end with the rejected tasks and the reasons, if there are any, and the number
   * of those that were changed.
   */
  onRejected: (refused: readonly BulkRejection[], changed: number) => void
}

interface RunningBulkChange {
  /** Takes its batches back. */
  undo: Reversal
  /** Resolves at the end with whether every task was changed. */
  finished: Promise<boolean>
}

/**
 * Changes many tasks. Loaded tasks show the change at once. It is sent 100 tasks per request, not
 * atomically, and only to tasks whose fields nobody else has changed since they were loaded.
 */
export function changeTasksInBulk(work: BulkTaskMutation): RunningBulkChange {
  const batches = work.targets
    .flatMap(splitTarget)
    .map((target) => new MutationBatch(work.label, target))
  const undo = undoOf(...batches.map(({ entry }) => entry))
  const finished = trackProgress(work, batches)
  for (const batch of batches) batch.start()
  return { undo, finished }
}

/** Splits a target into requests; each has only its own part of the command. */
function splitTarget({ project_id, numbers, command }: BulkTarget): BulkTarget[] {
  return Array.from({ length: Math.ceil(numbers.length / MAX_TASKS_PER_REQUEST) }, (_, at) => {
    const part = numbers.slice(at * MAX_TASKS_PER_REQUEST, (at + 1) * MAX_TASKS_PER_REQUEST)
    if (command.kind !== 'each') return { project_id, numbers: part, command }
    const own = new Set(part)
    const changes = command.changes.filter(([number]) => own.has(number))
    return { project_id, numbers: part, command: { kind: 'each', changes } }
  })
}

/** Shows the progress, and reports rejected tasks at the end. Returns whether all were changed. */
async function trackProgress(
  work: BulkTaskMutation,
  batches: readonly MutationBatch[],
): Promise<boolean> {
  const refused: BulkRejection[] = []
  const total = batches.reduce((sum, { size }) => sum + size, 0)
  let processed = 0
  let isStopped = false
  const stop = () => {
    isStopped = true
    for (const batch of batches) batch.cancel()
  }
  let isLong = false
  const show = () => isLong && bulkProgress.set({ done: processed, total, stop })
  const progressTimer = setTimeout(() => {
    isLong = true
    show()
  }, PROGRESS_DELAY_MS)
  for (const batch of batches) {
    refused.push(...(await batch.finished).refused)
    if (!batch.isCanceled) processed += batch.size
    show()
  }
  clearTimeout(progressTimer)
  bulkProgress.set(undefined)
  if (isStopped) {
    const sent = batches.filter(({ isCanceled }) => !isCanceled).map(({ entry }) => entry)
    const text = bulkChangeMessages.stopped(processed, total)
    showToast({ text, ...(sent.length > 0 && { undo: undoOf(...sent) }) })
  }
  if (refused.length > 0) work.onRejected(refused, processed - refused.length)
  return refused.length === 0 && processed === total
}

const QUEUE_KEY = 'bulk'

/** At most 100 tasks of a bulk change, which one request changes, as the page that makes it sees it. */
class MutationBatch {
  /** Resolves once the server has answered or the batch is canceled. */
  readonly finished: Promise<BatchOutcome>
  /** The mutation that it is. */
  readonly entry: NewMutation<StoredMutation>
  readonly size: number
  /** Whether the batch was canceled before it was sent. */
  isCanceled = false

  /** `label` describes the change, for the message that it is not saved. */
  constructor(label: string, target: BulkTarget) {
    const key = crypto.randomUUID()
    const payload = {
      kind: 'bulk',
      ...beginBulkChange({ ...target, changes: [] }, key),
      sent: [],
    } as const
    this.entry = { key, queueKey: QUEUE_KEY, label, payload }
    this.size = target.numbers.length
    const { promise, resolve } = Promise.withResolvers<BatchOutcome>()
    this.finished = promise
    onBatchOutcome(key, (outcome) => {
      this.isCanceled = outcome.isCanceled === true
      resolve(outcome)
    })
  }

  start(): void {
    mutationLog.add(this.entry)
  }

  /** Cancels the batch if it was not sent yet. */
  cancel(): void {
    const { key } = this.entry
    if (cancelMutation(key)) reportBatchOutcome(key, { refused: [], isCanceled: true })
  }
}
