import { mutationLog } from '../mutations/mutation-queue.ts'
import { getTaskChanges, type StoredMutation } from '../mutations/stored-mutation.ts'
import { getFieldValue, listFieldPaths, withFieldValue } from './field-conflicts.ts'
import { applyPatch, isSameValue, type Task, type TaskChange } from './task-patch.ts'
import { taskReplica, type WrittenTask } from './task-replica.ts'
import { getRealId, getServerTask } from './task-store.ts'

/**
 * Takes the task that the server has made of a change of a mutation. After a repeated reply the task
 * has to be read before.
 */
export function takeChangeReply(
  change: TaskChange,
  { task, changeNumber }: WrittenTask,
  mutationKey = change.key,
): void {
  if (changeNumber === undefined) return
  taskReplica.takeReply({ op: 'put', record: task }, changeNumber)
  mutationLog.reviseLater(mutationKey, createRebase([{ change, result: task }]))
}

/** Takes away a task whose deletion was acknowledged as the change of this number. */
export function takeDeletion(id: string, changeNumber: number | undefined): void {
  const project_id = getServerTask(id)?.project_id
  if (changeNumber !== undefined && project_id !== undefined)
    taskReplica.takeReply({ op: 'delete', id, project_id }, changeNumber)
}

/** A change of a task, and the task as it is instead: the record before it, if it came to nothing. */
interface EndedChange {
  change: TaskChange
  result: Task
}

/** What a field had, as later changes saw it, and what the server has instead. */
interface ReplacedValue {
  shown: unknown
  value: unknown
}

/**
 * Rebases later mutations, in their order, once changes below them have ended. Where the person started
 * from a value that such a change had set, and the server has another one now, they count as having
 * seen that one: it is not somebody else's.
 */
export function createRebase(
  ended: readonly EndedChange[],
): (payload: StoredMutation) => StoredMutation | undefined {
  const replacements = new Map(
    ended
      .map((one) => [getRealId(one.change.from.id), listReplacedValues(one)] as const)
      .filter(([, values]) => values.size > 0),
  )
  // Mostly the server has what the page shows.
  if (replacements.size === 0) return () => undefined
  const rebase = (change: TaskChange): TaskChange => {
    const replaced = replacements.get(getRealId(change.from.id))
    return replaced ? rebaseChange(change, replaced) : change
  }
  return (payload) => {
    if (payload.kind === 'change') {
      const change = rebase(payload.change)
      return change === payload.change ? undefined : { ...payload, change }
    }
    if (payload.kind !== 'bulk') return undefined
    const changes = payload.changes.map(rebase)
    return changes.every((one, at) => one === payload.changes[at])
      ? undefined
      : { ...payload, changes }
  }
}

/** Rebases later mutations on one that came to nothing. */
export const rebaseOnAbandoned = (abandoned: StoredMutation) =>
  createRebase(getTaskChanges(abandoned).map((change) => ({ change, result: change.from })))

function listReplacedValues({
  change: { kind, patch, from },
  result,
}: EndedChange): Map<string, ReplacedValue> {
  if (kind === 'delete' || kind === 'restore') return new Map()
  const shown = applyPatch(from, patch, undefined)
  return new Map(
    listFieldPaths(patch)
      .map((path) => {
        const values = { shown: getFieldValue(shown, path), value: getFieldValue(result, path) }
        return [path.join(' '), values] as const
      })
      .filter(([, values]) => !isSameValue(values.shown, values.value)),
  )
}

/** Only the first later change of a field has started from the replaced value, which it uses up. */
function rebaseChange(change: TaskChange, replaced: Map<string, ReplacedValue>): TaskChange {
  let { from } = change
  for (const path of listFieldPaths(change.patch)) {
    const name = path.join(' ')
    const values = replaced.get(name)
    if (!values) continue
    replaced.delete(name)
    if (isSameValue(getFieldValue(from, path), values.shown))
      from = withFieldValue(from, path, values.value)
  }
  return from === change.from ? change : { ...change, from }
}
