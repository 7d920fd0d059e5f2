import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import type { BulkCommand } from '../tasks/bulk-command.ts'
import { beginBulkChange, type PendingBulkChange } from '../tasks/pending-bulk-change.ts'
import {
  type BatchOutcome,
  type BulkRejection,
  bulkProgress,
  onBatchOutcome,
  reportBatchOutcome,
} from './batch-outcomes.ts'
import { cancelMutation, mutationLog } from './mutation-queue.ts'

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
  /** Describes its undo; otherwise that is named after the change. */
  undoLabel?: string
  /**
   * Called once at the end with the rejected tasks and the reasons, if there are any, and the number
   * of those that were changed; again if an undo leaves tasks as they are.
   */
  onRejected: (refused: readonly BulkRejection[], isUndo: boolean, changed: number) => void
}

/** Takes the change of many tasks back. It returns what takes that back in turn. */
type BulkReversal = () => BulkReversal | undefined

interface RunningBulkChange {
  /** Cancels what was not sent yet, and reverts the rest. */
  undo: BulkReversal
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
  let isUndone = false
  const undo: BulkReversal = () => {
    if (isUndone) return undefined
    isUndone = true
    return reverseLater(undoBatches(work, batches))
  }
  const finished = trackProgress(work, batches, undo)
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
  undo: BulkReversal,
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
  if (isStopped)
    showToast({
      text: bulkChangeMessages.stopped(processed, total),
      ...(processed > 0 && { undo }),
    })
  if (refused.length > 0) work.onRejected(refused, false, processed - refused.length)
  return refused.length === 0 && processed === total
}

/**
 * Cancels unsent batches and undoes the others, for tasks that nobody has changed since. Resolves to
 * what makes the change again.
 */
async function undoBatches(
  work: BulkTaskMutation,
  batches: readonly MutationBatch[],
): Promise<BulkReversal> {
  for (const batch of batches) batch.cancel()
  const outcomes = await Promise.all(batches.map(({ finished }) => finished))
  // The last change is undone first: a task has to be back before a subtask is put below it.
  const lastFirst = outcomes.flatMap(({ inverse }) => inverse).toReversed()
  const inverses = Map.groupBy(lastFirst, ({ project_id }) => project_id)
  const targets = [...inverses].map(([project_id, all]) => ({
    project_id,
    numbers: all.map(({ number }) => number),
    command: {
      kind: 'each',
      changes: all.map(({ number, change }) => [number, change] as const),
    } as const,
  }))
  const undone =
    targets.length > 0 &&
    changeTasksInBulk({
      targets,
      label: work.undoLabel ?? recordChangeMessages.undone(work.label),
      undoLabel: work.label,
      onRejected: (refused, _, changed) => work.onRejected(refused, true, changed),
    })
  const canceled = batches.flatMap((batch) => (batch.isCanceled ? batch.target : []))
  const changeCanceled = () => changeTasksInBulk({ ...work, targets: canceled }).undo
  return reverseAll([
    ...(undone ? [undone.undo] : []),
    ...(canceled.length > 0 ? [changeCanceled] : []),
  ])
}

/** Reverses something as soon as it is known how. */
const reverseLater =
  (reversal: Promise<BulkReversal | undefined>): BulkReversal =>
  () =>
    reverseLater(reversal.then((reverse) => reverse?.()))

const reverseAll =
  (reversals: readonly BulkReversal[]): BulkReversal =>
  () =>
    reverseAll(reversals.flatMap((reverse) => reverse() ?? []).toReversed())

const QUEUE_KEY = 'bulk'

/** At most 100 tasks of a bulk change, which one request changes, as the page that makes it sees it. */
class MutationBatch {
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
