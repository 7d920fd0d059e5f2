import type { bulkTasks } from '#resources/tasks/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { toPersonWords } from '../../lib/http/problem-words.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { noteOperations } from '../../lib/http/request-operations.ts'
import { formatList } from '../../messages/plural.ts'
import { bulkChangeMessages } from '../../messages/tasks/bulk-changes.ts'
import { showToast } from '../app/toasts.ts'
import { refetchLists, refetchSoon } from '../cache/query-client.ts'
import { followTaskChange } from '../live/follow-task-change.ts'
import {
  type BatchOutcome,
  type BulkRejection,
  reportBatchOutcome,
} from '../mutations/batch-outcomes.ts'
import type { MutationAttempt, MutationKind } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { bootState } from '../session/boot.ts'
import type { BulkOperation } from './change-task.ts'
import { findConflictingFields } from './field-conflicts.ts'
import { holdWholeProject } from './held-tasks.ts'
import { listBulkChanges } from './pending-bulk-change.ts'
import { omitUnchanged } from './resolve-task-ids.ts'
import { createRebase, takeChangeReply, takeDeletion } from './settle-changes.ts'
import type { TaskChange } from './task-patch.ts'
import { taskReplica } from './task-replica.ts'
import { findTaskIdByNumber, getServerTask, isTempId } from './task-store.ts'

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
    applyResults(changes, firstReply, key)
    const outdated = changes.filter(({ from }) => isOutdated(results.get(from.id)))
    if (outdated.length > 0) {
      const again = storedAgain ?? (await prepareAgain(outdated))
      assertRecent()
      if (!storedAgain) await revise({ ...ready, sent: [first, again] })
      const replyAgain = await post(again, `${key}-again`)
      applyResults(outdated, replyAgain, key)
      for (const { from } of outdated) results.delete(from.id)
      for (const [id, result] of replyAgain.results) results.set(id, result)
    }
    const ended = changes.filter(({ from }) => results.get(from.id)?.error !== null)
    const rebase = createRebase(ended.map((change) => ({ change, result: change.from })))
    mutationLog.reviseLater(key, rebase)
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
    })
    return []
  },
  revert(payload, error, key) {
    const reason = error instanceof ApiResponseError ? error.message : bulkChangeMessages.notSent
    const refused = payload.numbers.map((number) => ({
      short_id: getShortId(payload, number),
      reason,
      isConflict: false,
    }))
    reportOrShow(key, { refused })
  },
  resolveTempId(payload, { tempId, id }) {
    const changes = payload.changes.map((change) => {
      if (change.from.id !== tempId) return change
      const { short_id, number } = getServerTask(id) ?? change.from
      return { ...change, from: { ...change.from, id, short_id, number } }
    })
    return omitUnchanged({ ...payload, changes }, payload)
  },
}

/** Says what to send, also of tasks that were not loaded when the person gave the command. */
async function prepare(
  payload: BulkChange,
  { key, hold }: MutationAttempt<BulkChange>,
): Promise<BulkChange> {
  const { project_id, numbers } = payload
  await readUnknown(payload.changes)
  // What has a temporary number has been created since, or the person has discarded its creation.
  const listUnknown = (changes: readonly TaskChange[]) => {
    const changed = new Set(changes.map(({ from }) => from.number))
    const isHeld = (number: number) => getServerTask(findTaskIdByNumber(project_id, number) ?? '')
    return numbers.filter((number) => number > 0 && !changed.has(number) && !isHeld(number))
  }
  let changes = listBulkChanges(payload, key)
  if (listUnknown(changes).length > 0) {
    // The page may have released the project since the person saw these tasks.
    await hold(holdWholeProject(project_id))
    changes = listBulkChanges(payload, key)
  }
  const not_found = listUnknown(changes)
  // A deletion has nothing to report about tasks that are deleted already.
  const isDeletion = payload.command.kind === 'delete'
  const sent = [toOperations(changes)]
  return { ...payload, changes, sent, ...(!isDeletion && { not_found }) }
}

/** Reads tasks that this page does not hold, because an earlier one has made the change. */
async function readUnknown(changes: readonly TaskChange[]): Promise<void> {
  const ids = changes.map(({ from }) => from.id).filter((id) => !getServerTask(id) && !isTempId(id))
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
  const results = new Map(
    body.results.map((result) => [operations[result.index]?.id ?? '', result]),
  )
  return { results, changeNumber }
}

/** The operations of those changes that conflict with no change of somebody else. */
const toOperations = (changes: readonly TaskChange[]): BulkOperation[] =>
  changes.flatMap((change) => {
    const { kind, patch, from } = change
    if (isTempId(from.id)) return []
    const task = getServerTask(from.id)
    if (task && findConflictingFields(change, task).length > 0) return []
    const guard = kind !== 'restore' && task ? { version: task.version } : {}
    const data = kind === 'patch' ? { data: patch as Record<string, unknown> } : {}
    return [{ op: OPS[kind], id: from.id, ...guard, ...data }]
  })

const isOutdated = (result: BulkResult | undefined): boolean =>
  result?.error?.code === 'version_mismatch'

function applyResults(
  changes: readonly TaskChange[],
  { results, changeNumber }: BulkResults,
  key: string,
): void {
  noteOperations(
    key,
    [...results.values()].flatMap(({ operation_id }) => operation_id ?? []),
  )
  for (const change of changes) {
    const { kind, from } = change
    const result = results.get(from.id)
    // Somebody else may have deleted it.
    if (result?.status === 404) void taskReplica.read([from.id])
    if (!result || result.error) continue
    const task = result.data ?? undefined
    refetchSoon(['activity', from.id])
    if (!task) takeDeletion(from.id, changeNumber)
    else {
      takeChangeReply(change, { task, changeNumber }, key)
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
  return { short_id, reason: toPersonWords(result.error).message, isConflict: false }
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
