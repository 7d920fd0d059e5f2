import { viewerId } from '#core/actor.ts'
import type { PageRequest } from '#core/page-request.ts'
import { readInSlices } from '#core/page-request.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { firstIdAt } from '#lib/id.ts'
import { toJson } from '#lib/json.ts'
import { visibleProjectsByIds } from '#resources/activity/store.ts'
import type { LoadedTask } from '#resources/tasks/load.ts'
import { RECORD_TYPES, SCOPE_BY_RECORD_TYPE } from '#wire/scopes.ts'
import type {
  getOperation,
  listOperations,
  listTaskOperations,
  OperationChange,
  OperationRecord,
} from './contract.ts'
import {
  assertMayReadOperationsOf,
  firstKeptId,
  type LoadedOperation,
  type LoggedEvent,
  loadEventsOf,
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

export const get: Operation<typeof getOperation, LoadedOperation> = (tx, operation) =>
  toRecord(tx, operation, MAX_CHANGES)

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
  const readable = await readableEvents(tx, events)
  const changes = readable.map(toChange)
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
  }
}

/** The events about records that the actor may read: in a visible project, and with the scope of their type. */
async function readableEvents(tx: ReadTx, events: readonly LoggedEvent[]): Promise<LoggedEvent[]> {
  const ids = new Set(
    events.flatMap(({ project_id, changes: { project_id: moved } }) => [
      project_id,
      moved?.from,
      moved?.to,
    ]),
  )
  const rows = await tx.all(visibleProjectsByIds, { ids: [...ids].filter((id) => id !== null) })
  const visible = new Set<unknown>(rows.map(({ id }) => id))
  return events.filter(({ type, project_id, changes: { project_id: moved } }) => {
    const name = RECORD_TYPES.find((one) => type.startsWith(`${one}.`))
    const isAllowed = name && tx.actor.scopes.has(SCOPE_BY_RECORD_TYPE[name])
    const projects = [project_id, moved?.from ?? null, moved?.to ?? null]
    return isAllowed && projects.every((id) => id === null || visible.has(id))
  })
}

function toChange({ type, project_id, data, changes }: LoggedEvent): OperationChange {
  const { id, user_id, title, name, filename, user } = data
  const text = [title, name, filename, Object(user).name].find((one) => typeof one === 'string')
  const record_type = type.split('.')[0] ?? ''
  return {
    event_type: type as OperationChange['event_type'],
    record_type: record_type as OperationChange['record_type'],
    record_id: String(record_type === 'member' ? (user_id ?? id) : id),
    project_id,
    name: typeof text === 'string' ? text : null,
    changes,
  }
}
