import { conflict, notFound } from '#core/refusal.ts'
import type { Operation, Room } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { doomFile } from '#storage/files.ts'
import {
  type createImport,
  type getImport,
  type listImportFaults,
  type listImports,
  MOST_FAULTS,
  type State,
  type startImport,
  type updateImport,
} from './internal.ts'
import { type FoundImport, loadImport, shown } from './load.ts'
import { NO_PLAN, NOTHING_MADE, type Plan, planOf } from './plan.ts'
import type { Row } from './row.ts'
import { faultsOf, importById, insertImport, latestImports, setImport } from './store.ts'

const LATEST = 20

export const list: Operation<typeof listImports> = async (tx) => ({
  data: (await tx.all(latestImports, { limit: LATEST })).map(shown),
})

export const get: Operation<typeof getImport, FoundImport> = async (_, found) => shown(found)

/** States in which an import holds up the next one; one that is only `ready` makes room for it. */
const UNDER_WAY: readonly State[] = ['reading', 'running', 'paused', 'undoing']

const isUnderWay = (status: string) => UNDER_WAY.some((one) => one === status)

/** Refuses a file while another is under way. */
export const room: Room<undefined> = async (tx) => {
  await refuseSecond(tx)
  return Number.POSITIVE_INFINITY
}

async function refuseSecond(tx: ReadTx): Promise<void> {
  const latest = await tx.all(latestImports, { limit: LATEST })
  if (!latest.some(({ status }) => isUnderWay(status))) return
  throw conflict('import_under_way', 'Another import is under way: wait for it, or cancel it.')
}

export const create: Operation<typeof createImport> = async (tx, _, { body }) => {
  await refuseSecond(tx)
  for (const before of await tx.all(latestImports, { limit: LATEST })) {
    if (before.status === 'ready') await end(tx, before, 'canceled')
  }
  const id = newId('imp', tx.instant)
  await tx.run(insertImport, {
    id,
    created_by_id: tx.actor.user_id ?? '',
    file_id: body.id,
    filename: body.filename,
    size_bytes: body.size_bytes,
    kind: null,
    status: 'reading',
    plan: JSON.stringify(NO_PLAN),
    made: JSON.stringify(NOTHING_MADE),
    ...{ row_count: 0, done_count: 0, made_count: 0, failed_count: 0, error: null },
    ...{ runner: '', runner_until: '', created_at: tx.now, updated_at: tx.now },
  })
  return again(tx, id)
}

async function again(tx: WriteTx, id: string) {
  const found = await tx.one(importById, { id })
  if (!found) throw notFound()
  return shown(found)
}

const setStatus = setImport(['status', 'updated_at'])
const setChoices = setImport(['status', 'kind', 'plan', 'updated_at'])
const setEnded = setImport(['status', 'file_id', 'updated_at'])

/** Ends it; its file is needed no longer. */
export async function end(
  tx: WriteTx,
  found: FoundImport,
  status: 'canceled' | 'done',
): Promise<void> {
  if (found.file_id !== null) await tx.run(doomFile, { id: found.file_id, doomed_at: tx.now })
  await tx.run(setEnded, { ...found, status, file_id: null, updated_at: tx.now })
}

export const update: Operation<typeof updateImport, FoundImport> = async (tx, found, { body }) => {
  refuseUnless(found, 'ready', 'failed')
  if (found.file_id === null) throw conflict('import_ended', 'The file is gone: upload it again.')
  const { kind, latin1, columns } = body
  const before = planOf(found)
  const isOther = kind !== undefined || latin1 !== undefined || columns !== undefined
  const status = isOther ? 'reading' : found.status
  const plan: Plan = {
    ...before,
    latin1: latin1 ?? before.latin1,
    columns: columns ?? (kind === undefined ? before.columns : []),
    projects: chosen(before.projects, body.projects),
    statuses: chosen(before.statuses, body.statuses),
    people: chosen(before.people, body.people),
  }
  await tx.run(setChoices, {
    ...found,
    ...{ status, kind: kind ?? found.kind, plan: JSON.stringify(plan), updated_at: tx.now },
  })
  return again(tx, found.id)
}

/** Entries with the choices of those of the same name. */
function chosen<T extends { name: string }>(
  entries: readonly T[],
  wanted: readonly Omit<T, 'count'>[] = [],
): T[] {
  const by = new Map(wanted.map((one) => [one.name, one]))
  return entries.map((entry) => ({ ...entry, ...by.get(entry.name) }))
}

function refuseUnless({ status }: FoundImport, ...states: State[]): void {
  if (states.some((one) => one === status)) return
  throw conflict('import_not_ready', `The import is ${status}: this cannot be done now.`)
}

type Act = Operation<typeof startImport, FoundImport>

async function go(tx: WriteTx, found: FoundImport, status: State) {
  await tx.run(setStatus, { ...found, status, updated_at: tx.now })
  return again(tx, found.id)
}

export const start: Act = (tx, found) => {
  refuseUnless(found, 'ready', 'paused')
  if (found.status === 'ready') tx.audit('import.started', found.id, { kind: found.kind ?? '' })
  return go(tx, found, 'running')
}

export const pause: Act = (tx, found) => {
  refuseUnless(found, 'running')
  return go(tx, found, 'paused')
}

export const cancel: Act = async (tx, found) => {
  refuseUnless(found, 'reading', 'ready', 'running', 'paused', 'failed')
  await end(tx, found, 'canceled')
  return again(tx, found.id)
}

export const undo: Act = (tx, found) => {
  refuseUnless(found, 'done', 'canceled', 'failed')
  tx.audit('import.undone', found.id, {})
  return go(tx, found, 'undoing')
}

export const faults: Operation<typeof listImportFaults, FoundImport> = async (tx, { id }) => ({
  data: (await tx.all(faultsOf, { import_id: id, limit: MOST_FAULTS })).map((one) => ({
    number: one.number,
    title: (JSON.parse(one.row) as Row).title,
    message: one.fault ?? '',
  })),
})

/** The import that a URL names. */
export const one = (tx: ReadTx, { params }: { params: { id: string } }) => loadImport(tx, params.id)
