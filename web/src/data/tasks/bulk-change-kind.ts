import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { formatList } from '../../messages/plural.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import { refetchLists, refetchSoon } from '../cache/query-client.ts'
import { fetchTaskRows, isTaskLoaded, loadMissingTasks } from '../cache/task-rows.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { refetchTaskNotifications } from '../live/refetch-notifications.ts'
import { refetchTasksSoon } from '../live/stale-tasks.ts'
import {
  type BatchOutcome,
  type BulkRejection,
  reportBatchOutcome,
} from '../mutations/batch-outcomes.ts'
import type { MutationAttempt, MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { bootState } from '../session/boot.ts'
import {
  type BulkOperation,
  findConflictingFields,
  settleChange,
  settleDeletion,
} from './change-task.ts'
import { recordLocalChange } from './local-changes.ts'
import { settleBulkChange, showBulkChange, waitForEarlierChanges } from './pending-bulk-change.ts'
import { putReadTasks } from './put-read-tasks.ts'
import { recountOverdue } from './recount-overdue.ts'
import { invertPatch, type TaskChange } from './task-patch.ts'
import {
  getPendingChanges,
  getServerTask,
  putTasks,
  removeCachedTask,
  updatePendingChanges,
} from './task-store.ts'

type BulkChange = MutationOfKind<'bulk'>
type BulkResult = EndpointReply<typeof bulkTasks>['results'][number]

const MAX_NAMED_TASKS = 5
/**
 * How old a change may be to apply to tasks that were not loaded when it was made, whatever others
 * have changed in them since.
 */
const MAX_UNSEEN_AGE_MS = 60_000
const OPS = { patch: 'update', complete: 'complete', delete: 'delete', restore: 'restore' } as const

/**
 * A change of at most 100 tasks. Each is changed only if nobody else has changed the same fields
 * since. If it was not loaded when the change was made, and that was a while ago, it is changed only
 * if nobody has changed it at all. Operations are stored before they are sent: under one idempotency
 * key, a later attempt has to send the same ones.
 */
export const bulkChangeKind: MutationKind<BulkChange> = {
  async send(payload, attempt) {
    const { key, revise, assertRecent } = attempt
    const ready = payload.sent.length > 0 ? payload : await prepare(payload, attempt)
    assertRecent()
    if (ready !== payload) await revise(ready)
    const { changes, sent } = ready
    const [first = [], storedAgain] = sent
    const results = await post(first, key)
    applyResults(changes, results, first)
    const outdated = changes.filter(({ from }) => isOutdated(results.get(from.id)))
    if (outdated.length > 0) {
      const again = storedAgain ?? (await prepareAgain(outdated))
      if (!storedAgain) await revise({ ...ready, sent: [first, again] })
      const resultsAgain = await post(again, `${key}-again`)
      applyResults(outdated, resultsAgain, again)
      for (const { from } of outdated) results.delete(from.id)
      for (const [id, result] of resultsAgain) results.set(id, result)
    }
    settleBulkChange(ready, key)
    refetchLists()
    reportOrShow(key, {
      refused: [
        ...(ready.not_found ?? []).map((number) => ({
          short_id: getShortId(ready, number),
          isConflict: false,
          reason: bulkChangeMessages.notFound,
        })),
        ...changes.flatMap((one) => toRejection(one, results.get(one.from.id)) ?? []),
      ],
      inverse: changes.flatMap((one) => toInverse(one, results.get(one.from.id))),
    })
    return []
  },
  revert(payload, error, key) {
    settleBulkChange(payload, key)
    const reason = error instanceof ApiResponseError ? error.message : bulkChangeMessages.notSent
    const refused = payload.numbers.map((number) => ({
      short_id: getShortId(payload, number),
      reason,
      isConflict: false,
    }))
    reportOrShow(key, { refused, inverse: [] })
  },
  show({ changes }) {
    for (const change of changes) {
      const { id } = change.from
      if (!getServerTask(id) && change.kind !== 'restore') {
        putTasks([change.from])
        refetchTasksSoon([id])
      }
      if (getPendingChanges(id).some(({ key }) => key === change.key)) continue
      updatePendingChanges(id, (pending) => [...pending, change])
    }
  },
}

/** Reads the tasks that are not loaded, shows the change on them, and says what to send. */
async function prepare(
  payload: BulkChange,
  { key, madeAt, hold, revise }: MutationAttempt<BulkChange>,
): Promise<BulkChange> {
  const known = new Set(payload.changes.map((one) => one.key))
  await loadMissingTasks(payload.project_id, payload.numbers)
  const changes = showBulkChange(payload, key)
  const changed = new Set(changes.map(({ from }) => from.number))
  const not_found = payload.numbers.filter(
    (number) => !changed.has(number) && !isTaskLoaded(payload.project_id, number),
  )
  const isOld = Date.now() - madeAt > MAX_UNSEEN_AGE_MS
  const sendable = changes.filter(
    (one) => known.has(one.key) || !isOld || Date.parse(one.from.updated_at) <= madeAt,
  )
  // What the person does next starts from what is shown now, so a later page has to know it, too.
  if (sendable.length > payload.changes.length) await revise({ ...payload, changes: sendable })
  await hold(waitForEarlierChanges(key, changes))
  // A deletion has nothing to report about tasks that are deleted already.
  const isDeletion = payload.command.kind === 'delete'
  const sent = [toOperations(sendable)]
  return { ...payload, changes, sent, ...(!isDeletion && { not_found }) }
}

/** Reads the tasks that somebody else has changed meanwhile, and says what to send for them. */
async function prepareAgain(outdated: readonly TaskChange[]): Promise<BulkOperation[]> {
  const tasks = outdated.map(({ from }) => from)
  for (const [project_id, some] of Map.groupBy(tasks, (task) => task.project_id)) {
    const numbers = some.map(({ number }) => number)
    putReadTasks(await fetchTaskRows(project_id, numbers))
  }
  return toOperations(outdated)
}

/** Sends operations and returns their results by task id. */
async function post(
  operations: readonly BulkOperation[],
  idempotencyKey: string,
): Promise<Map<string, BulkResult>> {
  if (operations.length === 0) return new Map()
  const { body, isReplayed } = await requestEndpointForResult<typeof bulkTasks>(
    'POST /api/v1/tasks/bulk',
    { body: { operations: [...operations], atomic: false } },
    { idempotencyKey },
  )
  // Somebody may have deleted a task since the first reply, which was lost.
  if (isReplayed) refetchTasksSoon(operations.flatMap(({ id }) => id ?? []))
  for (const { operation_id } of body.results) recordOwnOperation(operation_id ?? undefined)
  return new Map(body.results.map((result) => [operations[result.index]?.id ?? '', result]))
}

/** The operations of those changes that conflict with no change of somebody else. */
const toOperations = (changes: readonly TaskChange[]): BulkOperation[] =>
  changes.flatMap((change) => {
    const { kind, patch, from } = change
    const task = getServerTask(from.id)
    if (task && hasConflict(change)) return []
    const guard = kind !== 'restore' && task ? { version: task.version } : {}
    const data = kind === 'patch' ? { data: patch as Record<string, unknown> } : {}
    return [{ op: OPS[kind], id: from.id, ...guard, ...data }]
  })

/**
 * Whether somebody else has changed the same fields since the change was made. The version alone
 * would not show that: a live update has already replaced it.
 */
function hasConflict(change: TaskChange): boolean {
  const task = getServerTask(change.from.id)
  return (
    task !== undefined &&
    task.version !== change.from.version &&
    findConflictingFields(change, task).length > 0
  )
}

const isOutdated = (result: BulkResult | undefined): boolean =>
  result?.error?.code === 'version_mismatch'

function applyResults(
  changes: readonly TaskChange[],
  results: Map<string, BulkResult>,
  sent: readonly BulkOperation[],
): void {
  for (const { kind, from, key } of changes) {
    const result = results.get(from.id)
    // Somebody else may have deleted it.
    if (result?.status === 404) removeCachedTask(from.id)
    if (!result || result.error) continue
    const [before, task] = [getServerTask(from.id), result.data ?? undefined]
    recountOverdue(from.id, before, task)
    refetchTaskNotifications(from.id, before, task)
    refetchSoon(['activity', from.id])
    if (kind === 'delete')
      settleDeletion(from.id, key, sent.find(({ id }) => id === from.id)?.version)
    else {
      if (kind === 'restore' && task) recordLocalChange(task)
      settleChange(from.id, key, task)
    }
  }
}

function getShortId({ project_id, changes }: BulkChange, number: number): string {
  const change = changes.find(({ from }) => from.number === number)
  const project = bootState.get()?.projects.find(({ id }) => id === project_id)
  return change?.from.short_id ?? `${project?.prefix}-${number}`
}

/** Why the server or a conflict has left a task as it is. */
function toRejection(
  { from: { short_id } }: TaskChange,
  result: BulkResult | undefined,
): BulkRejection | undefined {
  if (!result) return { short_id, reason: bulkChangeMessages.changedMeanwhile, isConflict: true }
  if (!result.error) return undefined
  const { details, message } = result.error
  return { short_id, reason: details[0]?.message ?? message, isConflict: false }
}

function toInverse(
  { kind, patch, from }: TaskChange,
  result: BulkResult | undefined,
): BatchOutcome['inverse'] {
  // Without an operation nothing has changed: a subtask, say, that was moved with its parent.
  if (!result || result.error || result.operation_id === null) return []
  // A moved task has another number in its new project.
  const { project_id, number } = result.data ?? from
  const place = { project_id, number }
  if (kind === 'delete')
    return [{ ...place, change: { kind: 'restore', patch: {}, deletedTask: from } }]
  if (kind === 'restore') return [{ ...place, change: { kind: 'delete', patch: {} } }]
  const inverse = { kind: 'patch', patch: invertPatch(patch, from) } as const
  if (Object.keys(inverse.patch).length === 0) return []
  const undoneTask = result.data && { undoneTask: result.data }
  return [{ ...place, change: { ...inverse, ...undoneTask } }]
}

/** Reports an outcome to the page's own command; that of an earlier page's command is shown here. */
function reportOrShow(key: string, outcome: BatchOutcome): void {
  const { refused } = outcome
  const [first] = refused
  if (reportBatchOutcome(key, outcome) || !first) return
  const names = refused.slice(0, MAX_NAMED_TASKS).map(({ short_id }) => short_id)
  const more = refused.length > names.length ? ['…'] : []
  const list = `${bulkChangeMessages.refused(refused.length)}: ${formatList([...names, ...more])}.`
  const isSameReason = refused.every(({ reason }) => reason === first.reason)
  const text = isSameReason ? `${list} ${first.reason}` : list
  showToast({ text, tone: 'trouble' })
}
