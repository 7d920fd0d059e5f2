import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { formatList } from '../../messages/plural.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import { refetchLists, refetchSoon } from '../cache/query-client.ts'
import { followTaskChange } from '../live/follow-task-change.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
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
import { settleBulkChange, showBulkChange, waitForEarlierChanges } from './pending-bulk-change.ts'
import { invertPatch, type TaskChange } from './task-patch.ts'
import { taskReplica } from './task-replica.ts'
import {
  findTaskIdByNumber,
  getPendingChanges,
  getServerTask,
  updatePendingChanges,
} from './task-store.ts'

type BulkChange = MutationOfKind<'bulk'>
type BulkResult = EndpointReply<typeof bulkTasks>['results'][number]

const MAX_NAMED_TASKS = 5
const OPS = { patch: 'update', complete: 'complete', delete: 'delete', restore: 'restore' } as const

/**
 * A change of at most 100 tasks. Each is changed only if nobody else has changed the same fields
 * since. Operations are stored before they are sent: under one idempotency
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
    const firstReply = await post(first, key)
    const { results } = firstReply
    applyResults(changes, firstReply)
    const outdated = changes.filter(({ from }) => isOutdated(results.get(from.id)))
    if (outdated.length > 0) {
      const again = storedAgain ?? (await prepareAgain(outdated))
      assertRecent()
      if (!storedAgain) await revise({ ...ready, sent: [first, again] })
      const replyAgain = await post(again, `${key}-again`)
      applyResults(outdated, replyAgain)
      for (const { from } of outdated) results.delete(from.id)
      for (const [id, result] of replyAgain.results) results.set(id, result)
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
      if (getPendingChanges(id).some(({ key }) => key === change.key)) continue
      updatePendingChanges(id, (pending) => [...pending, change])
    }
  },
}

/** Shows the change on its tasks, and says what to send. */
async function prepare(
  payload: BulkChange,
  { key, hold }: MutationAttempt<BulkChange>,
): Promise<BulkChange> {
  await readUnknown(payload.changes)
  const changes = showBulkChange(payload, key)
  const changed = new Set(changes.map(({ from }) => from.number))
  const not_found = payload.numbers.filter(
    (number) =>
      !changed.has(number) && !getServerTask(findTaskIdByNumber(payload.project_id, number) ?? ''),
  )
  await hold(waitForEarlierChanges(key, changes))
  // A deletion has nothing to report about tasks that are deleted already.
  const isDeletion = payload.command.kind === 'delete'
  const sent = [toOperations(changes)]
  return { ...payload, changes, sent, ...(!isDeletion && { not_found }) }
}

/** Reads tasks that this page does not hold, because an earlier one has made the change. */
async function readUnknown(changes: readonly TaskChange[]): Promise<void> {
  const ids = changes.map(({ from }) => from.id).filter((id) => !getServerTask(id))
  if (ids.length > 0) await taskReplica.read(ids)
}

/** Reads the tasks that somebody else has changed meanwhile, and says what to send for them. */
async function prepareAgain(outdated: readonly TaskChange[]): Promise<BulkOperation[]> {
  await taskReplica.read(outdated.map(({ from }) => from.id))
  return toOperations(outdated)
}

/** The results of operations by task id. */
interface BulkResults {
  results: Map<string, BulkResult>
  /** The number of the last of their changes; undefined if the server repeats an earlier reply. */
  changeNumber: number | undefined
}

/** Sends operations and returns their results. */
async function post(
  operations: readonly BulkOperation[],
  idempotencyKey: string,
): Promise<BulkResults> {
  if (operations.length === 0) return { results: new Map(), changeNumber: undefined }
  const { body, changeNumber } = await requestEndpointForResult<typeof bulkTasks>(
    'POST /api/v1/tasks/bulk',
    { body: { operations: [...operations], atomic: false } },
    { idempotencyKey },
  )
  // Somebody may have changed a task since the first reply, which was lost.
  if (changeNumber === undefined) await taskReplica.read(operations.flatMap(({ id }) => id ?? []))
  for (const { operation_id } of body.results) recordOwnOperation(operation_id ?? undefined)
  const results = new Map(
    body.results.map((result) => [operations[result.index]?.id ?? '', result]),
  )
  return { results, changeNumber }
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
  { results, changeNumber }: BulkResults,
): void {
  for (const { kind, from, key } of changes) {
    const result = results.get(from.id)
    // Somebody else may have deleted it.
    if (result?.status === 404) void taskReplica.read([from.id])
    if (!result || result.error) continue
    const task = result.data ?? undefined
    refetchSoon(['activity', from.id])
    if (!task) settleDeletion(from.id, key, changeNumber)
    else {
      settleChange(from.id, key, { task, changeNumber })
      if (kind === 'restore') followTaskChange(from.id, undefined, task)
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
