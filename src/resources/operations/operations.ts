import { may, viewerId } from '#core/actor.ts'
import { insufficientRole } from '#core/api-error.ts'
import { toOperationChange } from '#core/operation-change.ts'
import type { PageRequest } from '#core/page-request.ts'
import { readInSlices } from '#core/page-request.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import {
  type PendingOperation,
  pendingStatus,
  pendingUntil,
} from '#db/operations/pending-operations.ts'
import { firstIdAt } from '#lib/id.ts'
import { toJson } from '#lib/json.ts'
import type { LoadedTask } from '#resources/tasks/load.ts'
import type {
  getOperation,
  listOperations,
  listTaskOperations,
  OperationChange,
  OperationRecord,
} from './contract.ts'
import {
  firstKeptId,
  type LoadedOperation,
  loadEventsOf,
  type OperationLookup,
  parseEvent,
  readableChanges,
} from './load.ts'
import {
  firstEventsOf,
  type OperationFilters,
  selectOperationPage,
  selectTaskOperations,
  taskEventsOf,
  toFilters,
} from './store.ts'

/** Each is read with the first of its events, of up to 1 MiB. */
const MAX_SLICE = 26
const MAX_CHANGES = 100

export const list: Operation<typeof listOperations> = async (tx, _, { query, page }) => {
  const { created_after: since, ...filters } = query
  const { names, values } = readFilters(tx, filters, since)
  return toPage(
    tx,
    page,
    (slice) =>
      tx.all(selectOperationPage({ order: toListOrder(slice, null), names }), {
        ...toPageWindow(slice),
        ...values,
      }),
    (ids) => tx.all(firstEventsOf, { ids }),
  )
}

/**
 * By what a list, and an undo of many, choose operations. Without any filter they are those of the actor; of a key or
 * an import they are those of the person for whom it acted, as far as the actor may see these.
 */
export function readFilters(tx: ReadTx, filters: OperationFilters, since: string | undefined) {
  const { user_id, credential_id, import_id } = filters
  const seesAll = may(tx.actor, 'change_work_of_others')
  const isOfAll =
    user_id === undefined
      ? seesAll && (credential_id !== undefined || import_id !== undefined)
      : user_id === 'all'
  const named = user_id === undefined || user_id === 'me' ? viewerId(tx.actor) : user_id
  if (!seesAll && (isOfAll || named !== viewerId(tx.actor)))
    throw insufficientRole('Only owners and admins can see what other people have done.')
  const { names, values } = toFilters({
    credential_id,
    import_id,
    user_id: isOfAll ? undefined : named,
  })
  const kept = firstKeptId(tx)
  const asked = since === undefined ? kept : firstIdAt('opr', Date.parse(since))
  const [, first_id = kept] = [asked, kept].toSorted()
  return { names, values: { ...values, first_id } }
}

export const listOfTask: Operation<typeof listTaskOperations, LoadedTask> = (tx, task, { page }) =>
  toPage(
    tx,
    page,
    (slice) =>
      tx.all(selectTaskOperations({ ...toListOrder(slice, null), sorted: true }), {
        ...toPageWindow(slice),
        task_id: task.id,
        first_id: firstKeptId(tx),
      }),
    (ids) => tx.all(taskEventsOf, { ids, task_id: task.id, limit: MAX_CHANGES }),
    // What else they did may be in projects that the reader does not see.
    (operation, changes) => ({ ...toRecord(operation, changes), event_count: changes.length }),
  )

export const get: Operation<typeof getOperation, OperationLookup> = async (tx, lookup) => {
  const { operation, pending } = lookup
  const waited = pending && describePending(tx, pending)
  if (operation) {
    const events = await loadEventsOf(tx, operation, MAX_CHANGES)
    const changes = await readableChanges(tx, events.map(toOperationChange))
    return { ...toRecord(operation, changes), ...waited }
  }
  return toPendingRecord(tx, pending)
}

async function toPendingRecord(tx: ReadTx, pending: PendingOperation): Promise<OperationRecord> {
  const { id, created_at, actor_type, user_id, user_name, credential_id, record_count } = pending
  const preview = JSON.parse(pending.preview) as OperationRecord['changes']
  return {
    id,
    created_at,
    actor: { type: actor_type, user_id, name: user_name, credential_id },
    import_id: null,
    undoes_id: null,
    undone_by_id: null,
    event_count: Number(record_count),
    changes: await readableChanges(tx, preview),
    ...describePending(tx, pending),
  }
}

/** What an operation has of having waited for a person. */
function describePending(tx: ReadTx, pending: PendingOperation) {
  const { user_id, credential_id, created_at, reasons, reply_status, reply } = pending
  const { actor } = tx
  const isSender =
    actor.type !== 'user' && actor.user_id === user_id && actor.credential_id === credential_id
  const body = reply === null || !isSender ? '' : tx.decrypt(reply)
  return {
    status: pendingStatus(tx, pending),
    reasons: JSON.parse(reasons) as OperationRecord['reasons'],
    expires_at: pendingUntil(created_at),
    reply:
      isSender && reply_status !== null
        ? { status: reply_status, body: body === '' ? null : (JSON.parse(body) as unknown) }
        : null,
  }
}

/** A page of operations with some of the events of each. */
async function toPage(
  tx: ReadTx,
  page: PageRequest,
  readOperations: (slice: PageRequest) => Promise<LoadedOperation[]>,
  readEvents: (ids: readonly string[]) => Promise<{ id: string; payload: string | null }[]>,
  toJsonRecord = toRecord,
) {
  const rows = await readInSlices(page, MAX_SLICE, async (slice) => {
    const operations = await readOperations(slice)
    const events = await readEvents(operations.map(({ id }) => id))
    const parsed = events.flatMap(({ id, payload }) =>
      payload === null ? [] : [{ id, change: toOperationChange(parseEvent(payload)) }],
    )
    const all = parsed.map(({ change }) => change)
    const readable = new Set(await readableChanges(tx, all))
    return operations.map((operation) => {
      const own = parsed.filter(({ id, change }) => id === operation.id && readable.has(change))
      const record = toJsonRecord(
        operation,
        own.map(({ change }) => change),
      )
      return { id: operation.id, json: toJson<OperationRecord>(record) }
    })
  })
  return page.toPage(rows)
}

function toRecord(operation: LoadedOperation, changes: OperationChange[]): OperationRecord {
  const { id, created_at, import_id, undoes_id, undone_by_id, ...more } = operation
  return {
    id,
    created_at,
    actor: {
      type: more.actor_type,
      user_id: more.user_id,
      name: more.user_name,
      credential_id: more.credential_id,
    },
    import_id,
    undoes_id,
    undone_by_id,
    event_count: Math.max(0, more.last_sequence - more.first_sequence + 1),
    changes,
    status: 'done',
    reasons: [],
    expires_at: null,
    reply: null,
  }
}
