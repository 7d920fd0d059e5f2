import { viewerId } from '#core/actor.ts'
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
  OperationRecord,
} from './contract.ts'
import {
  assertMayReadOperationsOf,
  firstKeptId,
  type LoadedOperation,
  loadEventsOf,
  type OperationLookup,
  readableChanges,
} from './load.ts'
import { type OperationLead, selectOperationPage, selectTaskOperations } from './store.ts'

/** Each is read with the first of its events, of up to 1 MiB. */
const MAX_SLICE = 26
const MAX_CHANGES = 100

export const list: Operation<typeof listOperations> = async (tx, _, { query, page }) => {
  const { user_id, credential_id, import_id, created_after } = query
  const filters = readFilters(tx, { user_id, credential_id, import_id, since: created_after })
  return toPage(tx, page, MAX_SLICE, (slice) =>
    tx.all(
      selectOperationPage({
        order: toListOrder(slice, null),
        lead: filters.lead,
        user: filters.user,
      }),
      { ...toPageWindow(slice), ...filters.values },
    ),
  )
}

interface OperationFilters {
  user_id?: string | undefined
  credential_id?: string | undefined
  import_id?: string | undefined
  since?: string | undefined
}

/** What a list and an undo of many read by. Without any filter they are the operations of the actor. */
export function readFilters(tx: ReadTx, filters: OperationFilters) {
  const { credential_id, import_id, since } = filters
  const lead: OperationLead = import_id
    ? 'import'
    : credential_id
      ? 'credential'
      : filters.user_id === 'all'
        ? 'all'
        : 'user'
  const named = filters.user_id === 'me' ? viewerId(tx.actor) : filters.user_id
  const user_id = named ?? viewerId(tx.actor)
  assertMayReadOperationsOf(tx, lead === 'all' ? undefined : user_id)
  const kept = firstKeptId(tx)
  const asked = since === undefined ? kept : firstIdAt('opr', Date.parse(since))
  const [, first_id = kept] = [kept, asked].toSorted()
  return {
    lead,
    user: lead !== 'all',
    values: {
      user_id,
      credential_id: credential_id ?? '',
      import_id: import_id ?? '',
      first_id,
    },
  }
}

export const listOfTask: Operation<typeof listTaskOperations, LoadedTask> = (tx, task, { page }) =>
  toPage(
    tx,
    page,
    MAX_SLICE,
    (slice) =>
      tx.all(selectTaskOperations(toListOrder(slice, null)), {
        ...toPageWindow(slice),
        task_id: task.id,
        first_id: firstKeptId(tx),
      }),
    task.id,
  )

export const get: Operation<typeof getOperation, OperationLookup> = async (tx, lookup) => {
  const { operation, pending } = lookup
  const waited = pending && describePending(tx, pending)
  if (operation) return { ...(await toRecord(tx, operation, MAX_CHANGES)), ...waited }
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

/** A page of operations, with what each has done first, or all that it has done to one task. */
async function toPage(
  tx: ReadTx,
  page: PageRequest,
  size: number,
  read: (slice: PageRequest) => Promise<LoadedOperation[]>,
  task_id?: string,
) {
  const rows = await readInSlices(page, size, async (slice) => {
    const records = []
    for (const operation of await read(slice)) {
      const record = await toRecord(tx, operation, task_id === undefined ? 1 : MAX_CHANGES, task_id)
      records.push({ id: operation.id, json: toJson<OperationRecord>(record) })
    }
    return records
  })
  return page.toPage(rows)
}

async function toRecord(
  tx: ReadTx,
  operation: LoadedOperation,
  limit: number,
  task_id?: string,
): Promise<OperationRecord> {
  const { id, created_at, import_id, undoes_id, undone_by_id, ...more } = operation
  const events = await loadEventsOf(tx, operation, limit)
  const changes = await readableChanges(tx, events.map(toOperationChange))
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
    changes: task_id === undefined ? changes : changes.filter((one) => one.record_id === task_id),
    status: 'done',
    reasons: [],
    expires_at: null,
    reply: null,
  }
}
