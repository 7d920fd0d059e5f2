import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import { bulkProgress } from './bulk-progress.ts'
import { type BulkMutation, type BulkRejection, MutationBatch } from './mutation-batch.ts'

export type { BulkMutation, BulkRejection, BulkTaskChange } from './mutation-batch.ts'

const MAX_TASKS_PER_REQUEST = 100
const PROGRESS_DELAY_MS = 1_000

/** Tasks of one project, by number. */
export interface ProjectTaskNumbers {
  project_id: string
  numbers: readonly number[]
}

interface BulkTaskMutation extends Omit<BulkMutation, 'project_id'> {
  targets: readonly ProjectTaskNumbers[]
  /**
   * Called once at the end with the rejected tasks and the reasons, if there are any; again if an
   * undo leaves tasks as they are.
   */
  onRejected: (refused: readonly BulkRejection[], isUndo: boolean) => void
}

interface RunningBulkChange {
  /** Cancels what was not sent yet, and reverts the rest. */
  undo: () => void
  /** Resolves at the end with whether every task was changed. */
  finished: Promise<boolean>
}

/**
 * Changes many tasks. Loaded tasks show the change at once. It is sent 100 tasks per request, not
 * atomically, and only to tasks whose fields nobody else has changed meanwhile.
 */
export function changeTasksInBulk(work: BulkTaskMutation): RunningBulkChange {
  const batches = work.targets.flatMap(({ project_id, numbers }) =>
    Array.from({ length: Math.ceil(numbers.length / MAX_TASKS_PER_REQUEST) }, (_, at) => {
      const batchNumbers = numbers.slice(
        at * MAX_TASKS_PER_REQUEST,
        (at + 1) * MAX_TASKS_PER_REQUEST,
      )
      return new MutationBatch({ ...work, project_id }, batchNumbers)
    }),
  )
  let isUndone = false
  const undo = () => {
    if (!isUndone) void undoBatches(work, batches)
    isUndone = true
  }
  const finished = trackProgress(work, batches, undo)
  for (const batch of batches) batch.start()
  return { undo, finished }
}

/** Shows the progress, and reports rejected tasks at the end. Returns whether all were changed. */
async function trackProgress(
  work: BulkTaskMutation,
  batches: readonly MutationBatch[],
  undo: () => void,
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
    refused.push(...(await batch.finished))
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
  if (refused.length > 0) work.onRejected(refused, false)
  return refused.length === 0 && processed === total
}

/** Cancels unsent batches and undoes the others, for tasks that nobody has changed since. */
async function undoBatches(
  work: BulkTaskMutation,
  batches: readonly MutationBatch[],
): Promise<void> {
  for (const batch of batches) batch.cancel()
  await Promise.all(batches.map(({ finished }) => finished))
  const inverses = new Map(batches.map((batch) => [batch.project_id, new Map(batch.inverse)]))
  for (const { project_id, inverse } of batches) {
    for (const [number, change] of inverse) inverses.get(project_id)?.set(number, change)
  }
  const of = [...inverses].map(([project_id, all]) => ({ project_id, numbers: [...all.keys()] }))
  if (of.every(({ numbers }) => numbers.length === 0)) return
  changeTasksInBulk({
    ...work,
    targets: of,
    label: bulkChangeMessages.undone(work.label),
    onRejected: (refused) => work.onRejected(refused, true),
    changeFor: (number, _, project_id) => inverses.get(project_id)?.get(number),
  })
}
