import { operationsOf } from '../../lib/http/request-operations.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import type { ReversalStep } from '../app/toasts.ts'
import { applyPatch, asCreated, invertPatch, type TaskChange } from '../tasks/task-patch.ts'
import { getCachedTask, getRealId, getTaskConflict, setTaskConflict } from '../tasks/task-store.ts'
import { reportBatchOutcome } from './batch-outcomes.ts'
import { type NewMutation, pickEntry } from './mutation-entry.ts'
import { cancelMutation, mutationLog, mutationQueue } from './mutation-queue.ts'
import type { ShownUndo, StoredMutation } from './stored-mutation.ts'

type Mutation = NewMutation<StoredMutation>

/**
 * Takes mutations back, the last first, or makes them again. What was not sent yet is taken out of the log; the rest
 * is undone by the server, behind whatever is on its way. Returns what reverses that in turn.
 */
export function reverseSteps(steps: readonly ReversalStep[]): ReversalStep[] | undefined {
  const reversed = steps.toReversed().flatMap(reverseStep)
  return reversed.length > 0 ? reversed : undefined
}

function reverseStep({ does, entry }: ReversalStep): ReversalStep[] {
  if (does === 'add') {
    const again = withNewKey(entry)
    mutationLog.add(again)
    return [{ does: 'undo', entry: again }]
  }
  const { key, queueKey, label } = entry
  const queued = mutationQueue.get().find((one) => one.key === key)
  const { payload } = queued ?? entry
  if (cancelMutation(key)) {
    reportBatchOutcome(key, { refused: [], isCanceled: true })
    return [{ does: 'add', entry: queued ? pickEntry(queued) : entry }]
  }
  if (payload.kind === 'change' && dropConflict(payload.change)) return []
  const shown = showUndo(payload)
  const undo: Mutation = {
    key: crypto.randomUUID(),
    queueKey: getRealId(queued?.queueKey ?? queueKey),
    label: recordChangeMessages.undone(label),
    payload: { kind: 'undo', of: key, operation_ids: operationsOf(key), ...shown },
  }
  mutationLog.add(undo)
  return [{ does: 'undo', entry: undo }]
}

/** A change that waits for the person's choice is dropped by its undo. */
function dropConflict({ key, from }: TaskChange): boolean {
  const id = getRealId(from.id)
  if (getTaskConflict(id)?.change.key !== key) return false
  setTaskConflict(id, undefined)
  return true
}

/**
 * The mutation under a new key: the server may know the old one. It starts from what the person saw at first, so
 * that what others have set since is asked about.
 */
function withNewKey(entry: Mutation): Mutation {
  const { payload } = entry
  const key = crypto.randomUUID()
  if (payload.kind === 'change') {
    const { change } = payload
    const id = getRealId(payload.id)
    const task = getCachedTask(id)
    const from = task ? asCreated(change.from, task) : change.from
    return { ...entry, key, payload: { ...payload, id, change: { ...change, key, from } } }
  }
  if (payload.kind === 'bulk') {
    const changes = payload.changes.map((change) => ({
      ...change,
      key: `${key} ${change.from.id}`,
    }))
    return { ...entry, key, payload: { ...payload, changes, sent: [] } }
  }
  if (payload.kind === 'comment')
    return { ...entry, key, payload: { ...payload, comment: { ...payload.comment, key } } }
  return { ...entry, key }
}

/** What the page shows of the undo of a mutation before the server has replied. */
function showUndo(payload: StoredMutation): ShownUndo {
  const none = { changes: [], undone: [] }
  switch (payload.kind) {
    case 'change':
      return { changes: toInverse(payload.change), undone: [payload.change] }
    case 'bulk':
      return { changes: payload.changes.flatMap(toInverse), undone: payload.changes }
    case 'create':
      return { ...none, changes: toDeletion(payload.placeholder.id) }
    case 'create-many':
      return {
        ...none,
        changes: payload.tasks.flatMap(({ placeholder }) => toDeletion(placeholder.id)),
      }
    case 'restore':
      return { ...none, changes: toDeletion(payload.id) }
    case 'undo':
      return { changes: payload.undone, undone: payload.changes }
    case 'comment-edit':
    case 'time-entry-edit':
    case 'tag-edit': {
      const { base, patch } = payload
      const names = Object.keys(patch) as (keyof typeof base)[]
      const former = Object.fromEntries(names.map((name) => [name, base[name]]))
      return { ...none, edit: { base, patch: former } }
    }
    default:
      return none
  }
}

/** A deleted task comes back with the reply. */
function toInverse({ kind, patch, from, key }: TaskChange): TaskChange[] {
  const id = getRealId(from.id)
  if (kind === 'delete') return []
  if (kind === 'restore') return toDeletion(id)
  const after = { ...applyPatch(from, patch, undefined), id }
  const inverse = invertPatch(patch, from)
  return [
    { key: `undo ${key}`, kind: 'patch', patch: inverse, from: after, position: from.position },
  ]
}

function toDeletion(id: string): TaskChange[] {
  const from = getCachedTask(getRealId(id))
  return from ? [{ key: `undo ${id}`, kind: 'delete', patch: {}, from }] : []
}
