import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, conflict, notFound } from '#core/api-error.ts'
import type { JobPayload } from '#core/job.ts'
import type { Operation, QuotaLoader } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { scheduleFileDeletion } from '#db/retention/pending-file-deletions.ts'
import { loadFreeBytes } from '#db/workspaces/stored-bytes.ts'
import { newId } from '#lib/id.ts'
import { findActiveMembers } from '#resources/members/load.ts'
import { fieldError } from '#wire/field-error.ts'
import { type ImportedTask, parseRowWarning } from './imported-task.ts'
import {
  type createImport,
  type getImport,
  type ImportError,
  type ImportStatus,
  type listImportFaults,
  type listImports,
  type listImportWarnings,
  MAX_IMPORT_FAULTS,
  type startImport,
  type updateImport,
} from './internal.ts'
import {
  EMPTY_IMPORT_PLAN,
  type ImportPlan,
  type LoadedImport,
  loadImport,
  NO_IMPORTED_RECORDS,
  parseImportPlan,
  parseRowError,
  toImport,
  toImportedRecordsJson,
} from './load.ts'
import {
  importFaults,
  importWarnings,
  removeImportFaults,
  removeImportWarnings,
} from './row-store.ts'
import { importById, importsWithJob, insertImport, latestImports, setImport } from './store.ts'

const LISTED_IMPORTS = 20

export const list: Operation<typeof listImports> = async (tx) => ({
  data: (await tx.all(latestImports, { limit: LISTED_IMPORTS })).map(toImport),
})

export const get: Operation<typeof getImport, LoadedImport> = async (_, job) => toImport(job)

/** An import in these statuses blocks the next one; a `ready` one is canceled in favor of it. */
const STATUSES_IN_PROGRESS: readonly ImportStatus[] = ['reading', 'running', 'paused', 'undoing']

/** In these statuses a job deletes the rows that became no tasks. */
export const CLEARED_STATUSES: ImportStatus[] = ['canceled', 'undone', 'done', 'failed']
/** How many ended imports may still have rows, which may be hundreds of megabytes each. */
const MAX_UNCLEARED_IMPORTS = 2

const isInProgress = (status: string) => STATUSES_IN_PROGRESS.some((one) => one === status)

/** 409 while another import is in progress. The file has to fit into the storage of the workspace. */
export const importQuota: QuotaLoader<undefined> = async (tx) => {
  await assertNoneInProgress(tx)
  return loadFreeBytes(tx)
}

async function assertNoneInProgress(tx: ReadTx): Promise<void> {
  const latest = await tx.all(latestImports, { limit: LISTED_IMPORTS })
  if (!latest.some(({ status }) => isInProgress(status))) return assertFewUncleared(tx)
  throw conflict(
    'import_under_way',
    'Another import is still running. Wait until it has ended, or cancel it.',
  )
}

async function assertFewUncleared(tx: ReadTx): Promise<void> {
  const limit = MAX_UNCLEARED_IMPORTS
  const uncleared = await tx.all(importsWithJob, { states: CLEARED_STATUSES, limit })
  if (uncleared.length < limit) return
  throw conflict(
    'import_under_way',
    'The rows of earlier imports are still being deleted. Try again in a minute.',
  )
}

export const create: Operation<typeof createImport> = async (tx, _, { body }) => {
  await assertNoneInProgress(tx)
  const latest = await tx.all(latestImports, { limit: LISTED_IMPORTS })
  for (const before of latest) {
    if (before.status === 'ready') await finishImport(tx, before, 'canceled')
  }
  await removeUnlistedMessages(tx, latest)
  const id = newId('imp', tx.nowMs)
  tx.countFileBytes(body.size_bytes)
  await tx.run(insertImport, {
    id,
    created_by_id: viewerId(tx.actor),
    file_id: body.id,
    filename: body.filename,
    size_bytes: body.size_bytes,
    kind: null,
    status: 'reading',
    plan: JSON.stringify(EMPTY_IMPORT_PLAN),
    made: toImportedRecordsJson(NO_IMPORTED_RECORDS),
    row_count: 0,
    done_count: 0,
    made_count: 0,
    failed_count: 0,
    warned_count: 0,
    error: null,
    created_at: tx.now,
    updated_at: tx.now,
  })
  await enqueueImport(tx, id, 'reading')
  return reload(tx, id)
}

/** Deletes the faults and warnings of the import that the new one displaces from the list. */
async function removeUnlistedMessages(tx: WriteTx, latest: readonly { id: string }[]) {
  const displaced = latest[LISTED_IMPORTS - 1]
  if (!displaced) return
  const messages = { import_id: displaced.id, limit: MAX_IMPORT_FAULTS }
  await tx.run(removeImportFaults, messages)
  await tx.run(removeImportWarnings, messages)
}

/** Enqueues the work that the status of an import demands. */
const enqueueImport = (tx: WriteTx, import_id: string, status: ImportStatus): Promise<string> =>
  enqueueJob(tx, { kind: 'import', key: import_id, payload: { import_id, status } })

/** Gives a failed import the status in which its job failed, so that the job can continue. */
export async function resumeFailedImport(
  tx: WriteTx,
  { import_id: id = '', status = '' }: JobPayload,
): Promise<void> {
  const job = await tx.one(importById, { id })
  if (job?.status === 'failed' && status === 'failed') return
  if (job?.status !== 'failed' && CLEARED_STATUSES.some((one) => one === job?.status)) return
  if (job?.status !== 'failed' || job.file_id === null)
    throw conflict('import_ended', 'The import has ended. Upload its file again.')
  await tx.run(setStatusAndError, { ...job, status, error: null, updated_at: tx.now })
}

async function reload(tx: WriteTx, id: string) {
  const job = await tx.one(importById, { id })
  if (!job) throw notFound()
  return toImport(job)
}

const setStatusAndError = setImport(['status', 'error', 'updated_at'])
const setStatus = setImport(['status', 'updated_at'])
const setChoices = setImport(['status', 'kind', 'plan', 'updated_at'])
const setEnd = setImport(['status', 'file_id', 'updated_at'])

/**
 * Ends an import and schedules the deletion of its file, and of the rows of a canceled one or of
 * more that have failed than can be listed.
 */
export async function finishImport(
  tx: WriteTx,
  job: LoadedImport,
  status: 'canceled' | 'done',
): Promise<void> {
  if (job.file_id !== null) {
    await tx.run(scheduleFileDeletion, { id: job.file_id, doomed_at: tx.now })
    tx.countFileBytes(-job.size_bytes)
  }
  await tx.run(setEnd, { ...job, status, file_id: null, updated_at: tx.now })
  if (status === 'canceled' || job.failed_count > MAX_IMPORT_FAULTS)
    await enqueueImport(tx, job.id, status)
}

/** Ends an import that cannot go on, and schedules the deletion of the rows it has not come to. */
export async function failImport(
  tx: WriteTx,
  job: LoadedImport,
  reason: ImportError,
): Promise<void> {
  const error = JSON.stringify(reason)
  await tx.run(setStatusAndError, { ...job, status: 'failed', error, updated_at: tx.now })
  await enqueueImport(tx, job.id, 'failed')
}

export const update: Operation<typeof updateImport, LoadedImport> = async (tx, job, { body }) => {
  assertStatus(job, 'ready', 'failed')
  if (job.file_id === null)
    throw conflict('import_ended', 'The file of this import has been deleted. Upload it again.')
  // Reading the file again would delete the rows that hold the tasks to undo.
  if (job.made_count > 0)
    throw conflict(
      'import_ended',
      'This import has made tasks. Undo it, and upload the file again.',
    )
  await assertActiveMembers(tx, body.people)
  const { kind, latin1, columns, has_headings, date_order: order } = body
  const before = parseImportPlan(job)
  const isReread = [kind, latin1, columns, has_headings, order].some(
    (choice) => choice !== undefined,
  )
  const status = isReread ? 'reading' : job.status
  const isSameTable = kind === undefined && has_headings === undefined
  const plan: ImportPlan = {
    ...before,
    latin1: latin1 ?? before.latin1,
    // Another format or first line gives the columns other names.
    columns: columns ?? (isSameTable ? before.columns : []),
    has_headings: has_headings ?? (kind === undefined ? before.has_headings : undefined),
    projects: withChoices(before.projects, body.projects),
    statuses: withChoices(before.statuses, body.statuses),
    people: withChoices(before.people, body.people),
    priorities: withChoices(before.priorities, body.priorities),
    date_order: before.date_order && { ...before.date_order, ...(order && { order }) },
  }
  await tx.run(setChoices, {
    ...job,
    status,
    kind: kind ?? job.kind,
    plan: JSON.stringify(plan),
    updated_at: tx.now,
  })
  if (isReread) await enqueueImport(tx, job.id, 'reading')
  return reload(tx, job.id)
}

/** 422 `not_a_member` for each person who is no active member. They would become authors. */
async function assertActiveMembers(
  tx: ReadTx,
  people: readonly { user_id: string | null }[] = [],
): Promise<void> {
  const members = await findActiveMembers(
    tx,
    people.flatMap(({ user_id }) => user_id ?? []),
  )
  const errors = people.flatMap(({ user_id }, at) =>
    user_id === null || members.has(user_id)
      ? []
      : fieldError(
          `people[${at}].user_id`,
          'not_a_member',
          'must be an active member of the workspace',
        ),
  )
  assertNoFieldErrors(errors)
}

/** Entries with the choices that the request makes for entries of the same name. */
function withChoices<T extends { name: string }>(
  entries: readonly T[],
  choices: readonly Omit<T, 'count' | 'example' | 'is_known'>[] = [],
): T[] {
  const choiceByName = new Map(choices.map((one) => [one.name, one]))
  return entries.map((entry) => ({ ...entry, ...choiceByName.get(entry.name) }))
}

function assertStatus({ status }: LoadedImport, ...states: ImportStatus[]): void {
  if (states.some((one) => one === status)) return
  throw conflict(
    'import_not_ready',
    `An import with the status ${status} does not allow this step.`,
  )
}

type ImportAction = Operation<typeof startImport, LoadedImport>

async function changeStatus(tx: WriteTx, job: LoadedImport, status: ImportStatus) {
  await tx.run(setStatus, { ...job, status, updated_at: tx.now })
  return reload(tx, job.id)
}

export const start: ImportAction = async (tx, job) => {
  assertStatus(job, 'ready', 'paused')
  await enqueueImport(tx, job.id, 'running')
  if (job.status === 'ready') tx.audit('import.started', job.id, { kind: job.kind ?? '' })
  return changeStatus(tx, job, 'running')
}

export const pause: ImportAction = (tx, job) => {
  assertStatus(job, 'running')
  return changeStatus(tx, job, 'paused')
}

export const cancel: ImportAction = async (tx, job) => {
  assertStatus(job, 'reading', 'ready', 'running', 'paused', 'failed')
  await finishImport(tx, job, 'canceled')
  return reload(tx, job.id)
}

export const undo: ImportAction = async (tx, job) => {
  assertStatus(job, 'done', 'canceled', 'failed')
  await enqueueImport(tx, job.id, 'undoing')
  tx.audit('import.undone', job.id, {})
  return changeStatus(tx, job, 'undoing')
}

export const listFaults: Operation<typeof listImportFaults, LoadedImport> = async (tx, { id }) => ({
  data: (await tx.all(importFaults, { import_id: id, limit: MAX_IMPORT_FAULTS })).map((one) => ({
    number: one.number,
    title: (JSON.parse(one.row) as Pick<ImportedTask, 'title'>).title,
    error: parseRowError(one.fault ?? ''),
  })),
})

export const listWarnings: Operation<typeof listImportWarnings, LoadedImport> = async (
  tx,
  { id },
) => ({
  data: (await tx.all(importWarnings, { import_id: id, limit: MAX_IMPORT_FAULTS })).map((one) => ({
    number: one.number,
    ...parseRowWarning(one.warning ?? ''),
  })),
})

export const loadImportByParams = (tx: ReadTx, { params }: { params: { id: string } }) =>
  loadImport(tx, params.id)
