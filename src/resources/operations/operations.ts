import { may, viewerId } from '#core/actor.ts'
import { insufficientRole } from '#core/api-error.ts'
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
  firstKeptId,
  type LoadedOperation,
  loadEventsOf,
  type OperationEvent,
  parseEvent,
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
 * What a list and an undo of many read by. Without any filter they are the operations of the actor; of a key or an
 * import they are those of whoever it acted for, as far as the actor may see these.
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

export const get: Operation<typeof getOperation, LoadedOperation> = async (tx, operation) => {
  const events = await loadEventsOf(tx, operation, MAX_CHANGES)
  return toRecord(operation, (await readableEvents(tx, events)).map(toChange))
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
      payload === null ? [] : [{ id, event: parseEvent(payload) }],
    )
    const readable = new Set(
      await readableEvents(
        tx,
        parsed.map(({ event }) => event),
      ),
    )
    return operations.map((operation) => {
      const own = parsed.filter(({ id, event }) => id === operation.id && readable.has(event))
      const record = toJsonRecord(
        operation,
        own.map(({ event }) => toChange(event)),
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
  }
}

/** The events about records that the actor may read: in a visible project, and with the scope of their type. */
async function readableEvents(
  tx: ReadTx,
  events: readonly OperationEvent[],
): Promise<OperationEvent[]> {
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

function toChange({ type, project_id, data, changes }: OperationEvent): OperationChange {
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
