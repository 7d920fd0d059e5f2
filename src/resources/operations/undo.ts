import type { Actor } from '#core/actor.ts'
import { ApiError, assertNoFieldErrors, conflict, insufficientScope } from '#core/api-error.ts'
import type { OperationEvent } from '#core/operation-change.ts'
import { parsePageRequest } from '#core/page-request.ts'
import { diffRecords, isJsonEqual } from '#core/record-diff.ts'
import type { Operation, OperationInput } from '#core/route.ts'
import type { FieldChanges, ReadTx, WriteTx } from '#core/transaction.ts'
import { noteOperation } from '#db/operations/operations.ts'
import { trashOf } from '#db/operations/trash.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { loadAttachmentToDelete } from '#resources/attachments/load.ts'
import { remove as removeAttachment, restoreAttachment } from '#resources/attachments/operations.ts'
import {
  loadCommentToDelete,
  loadCommentToRestore,
  loadOwnComment,
} from '#resources/comments/load.ts'
import {
  edit as editComment,
  remove as removeComment,
  restore as restoreComment,
} from '#resources/comments/operations.ts'
import { loadProjectToChange } from '#resources/projects/load.ts'
import { changeProject, type ProjectChanges } from '#resources/projects/write-operations.ts'
import { loadTagToWrite } from '#resources/tags/load.ts'
import { remove as removeTag, restoreTag, update as updateTag } from '#resources/tags/operations.ts'
import { loadTaskToDelete, loadTaskToRestore, loadTaskToWrite } from '#resources/tasks/load.ts'
import { restoreLoadedTask } from '#resources/tasks/operations/complete.ts'
import { removeLoadedTask } from '#resources/tasks/operations/remove.ts'
import type { UndoneMove } from '#resources/tasks/writing/give-back.ts'
import { undoTaskChanges } from '#resources/tasks/writing/undo.ts'
import { restoreTemplate } from '#resources/templates/operations.ts'
import { loadTimeEntryToWrite } from '#resources/time-entries/load.ts'
import {
  assertNoTimerRuns,
  remove as removeTimeEntry,
  restoreTimeEntry,
  writeEntry,
} from '#resources/time-entries/operations.ts'
import { anyEntryOfTask } from '#resources/time-entries/store.ts'
import { restoreView } from '#resources/web-app/views/operations.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Scope } from '#wire/scopes.ts'
import type { LeftRecord, UndoResult, undoOperation, undoOperations } from './contract.ts'
import { findOperation, type LoadedOperation, loadEventsOf } from './load.ts'
import { readFilters } from './operations.ts'
import {
  changesOfTaskSince,
  selectUndoable,
  setUndoneBy,
  taggingSince,
  trashedWithoutEvents,
  workOnTaskSince,
} from './store.ts'

const UNUSED_PAGE = parsePageRequest('', '', {}, '')
/** More records a single request cannot write (`MAX_WRITTEN_BYTES`). */
const MAX_EVENTS = 100_000
const MAX_LISTED = 100
const MAX_OPERATIONS = 100
/** How far back in the history of a task is looked for who has changed a field. */
const MAX_HISTORY = 50

export const undoOne: Operation<typeof undoOperation, LoadedOperation> = async (
  tx,
  operation,
  { query },
) => {
  if (operation.undone_by_id !== null) {
    throw conflict('already_undone', 'This operation is undone already. Undo its undo to redo it.')
  }
  const result = await takeBack(tx, operation)
  if (result.left_count > 0 && query.only === undefined) throw changedSince(result)
  return result
}

const changedSince = ({ left }: UndoResult) =>
  conflict(
    'changed_since',
    'Some of this was changed since, and nothing was undone. Send `only=unchanged` to undo the rest.',
    left.map(({ record_id, field, code, message }) => ({
      field: field ?? '',
      code,
      message,
      resource_id: record_id,
    })),
  )

export const undoMany: Operation<typeof undoOperations> = async (tx, _, { body }) => {
  const { ids, ...filters } = body
  const operations = ids ? await loadOperations(tx, ids) : await findUndoable(tx, filters)
  const results: UndoResult[] = []
  const operation_ids: string[] = []
  for (const operation of operations) {
    const result = await tx.runOperation(async () => {
      const taken = await takeBack(tx, operation)
      if (taken.undone_count > 0) operation_ids.push(tx.operation_id)
      return taken
    })
    results.push(result)
  }
  const sum = (count: 'undone_count' | 'left_count') =>
    results.reduce((total, result) => total + result[count], 0)
  return {
    operation_count: operations.length,
    operation_ids,
    undone_count: sum('undone_count'),
    left_count: sum('left_count'),
    undone: results.flatMap(({ undone }) => undone).slice(0, MAX_LISTED),
    left: results.flatMap(({ left }) => left).slice(0, MAX_LISTED),
    next_before_id:
      !ids && operations.length === MAX_OPERATIONS ? (operations.at(-1)?.id ?? null) : null,
  }
}

/** Those of some operations that are in force, the newest first. */
async function loadOperations(tx: ReadTx, ids: readonly string[]): Promise<LoadedOperation[]> {
  const all: LoadedOperation[] = []
  const errors: FieldError[] = []
  for (const [at, id] of ids.entries()) {
    const operation = await findOperation(tx, id)
    if (operation) all.push(operation)
    else errors.push(fieldError(`ids[${at}]`, 'invalid_reference', 'must be an operation of yours'))
  }
  assertNoFieldErrors(errors)
  return all
    .filter(({ undone_by_id }) => undone_by_id === null)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
}

const LAST_ID = `opr_${'z'.repeat(26)}`

function findUndoable(
  tx: ReadTx,
  { before_id = LAST_ID, since, ...filters }: OperationInput<typeof undoOperations>['body'],
): Promise<LoadedOperation[]> {
  const { names, values } = readFilters(tx, filters, since)
  return tx.all(selectUndoable(names), { ...values, before_id, limit: MAX_OPERATIONS })
}

/**
 * Takes back what an operation has changed, as far as nobody has changed it since, in the current operation. First
 * what it deleted is restored, so that the rest finds its task; then what it created is deleted, and last what it
 * changed is as before.
 */
export async function takeBack(tx: WriteTx, operation: LoadedOperation): Promise<UndoResult> {
  const records = recordsOf(await loadEventsOf(tx, operation, MAX_EVENTS))
  const context: UndoContext = { tx, operation, records, move: moveOf(records), kept: [] }
  const undone: UndoResult['undone'] = []
  const left: [TouchedRecord, Reason][] = []
  for (const record of await inOrder(tx, operation, records)) {
    const taken = await attempt(context, record)
    if ('code' in taken) left.push([record, taken])
    else {
      const { type: record_type, id: record_id } = record
      if (taken.isDone) undone.push({ record_type, record_id, fields: taken.fields })
      for (const field of taken.left) left.push([record, { ...CHANGED_SINCE, field }])
    }
  }
  if (undone.length > 0) {
    await noteOperation(tx, operation.id)
    await tx.run(setUndoneBy, { id: operation.id, undone_by_id: tx.operation_id })
  }
  const listed: LeftRecord[] = []
  for (const [record, reason] of left.slice(0, MAX_LISTED))
    listed.push(await toLeft(context, record, reason))
  return {
    undone_count: undone.length,
    left_count: left.length,
    undone: undone.slice(0, MAX_LISTED),
    left: listed,
  }
}

/** The input of an operation that needs none. */
const inputOf = (id: string) => ({
  params: { id },
  query: undefined,
  body: undefined,
  page: UNUSED_PAGE,
})

/** What an operation did to one record. */
interface TouchedRecord {
  type: LeftRecord['record_type']
  id: string
  verb: 'created' | 'deleted' | 'changed'
  data: OperationEvent['data']
  changes: FieldChanges
}

interface UndoContext {
  tx: WriteTx
  operation: LoadedOperation
  records: readonly TouchedRecord[]
  /** What the operation moved to another project. */
  move: UndoneMove
  /** The tasks that it created and that stay, because somebody has worked on them since. */
  kept: TouchedRecord[]
}

/** The fields that are as before, and those that were changed since; not done: it was so already. */
interface TakenBack {
  isDone: boolean
  fields: string[]
  left: string[]
}

const DONE: TakenBack = { isDone: true, fields: [], left: [] }
const ALREADY: TakenBack = { isDone: false, fields: [], left: [] }

/** Why something is left as it is. */
interface Reason {
  code: string
  message: string
  field?: string
}

const CHANGED_SINCE = { code: 'changed_since', message: 'It was changed since.' }
const NOT_UNDOABLE = { code: 'not_undoable', message: 'Nothing takes this back.' }

/** One record for all events about it, of which the first has all changes. */
function recordsOf(events: readonly OperationEvent[]): TouchedRecord[] {
  const records = new Map<string, TouchedRecord>()
  for (const { type: kind, data, changes } of events) {
    const [type = '', verb] = kind.split('.')
    const id = String(data.id)
    const first = records.get(id) ?? {
      type: type as TouchedRecord['type'],
      verb: verb === 'created' || verb === 'deleted' ? verb : 'changed',
      changes,
    }
    // The last event has the record as the operation left it.
    records.set(id, { ...first, id, data })
  }
  return [...records.values()]
}

function moveOf(records: readonly TouchedRecord[]): UndoneMove {
  return new Map(
    records.flatMap(({ type, id, data, changes }) => {
      if (type !== 'task' || !changes.project_id) return []
      // A task may have the same rank in both projects, which is no change.
      const { position = { from: data.position, to: data.position } } = changes
      return [[id, { ...changes, position }]]
    }),
  )
}

/** In which order records are taken back. */
async function inOrder(tx: ReadTx, { id }: LoadedOperation, records: readonly TouchedRecord[]) {
  const ids = new Set(records.map((record) => record.id))
  // A task brings its subtasks back, and takes them along: whoever is above comes first.
  const isBelow = ({ type, data }: TouchedRecord) =>
    type === 'task' && ids.has(String(data.parent_id))
  const of = (verb: TouchedRecord['verb']) => records.filter((record) => record.verb === verb)
  const all = of('deleted')
  // Of timers the one that runs has to be stopped first.
  const entries = all.filter(({ type }) => type === 'time_entry')
  const deleted = all.filter(({ type }) => type !== 'time_entry')
  const isRestored = ({ type, changes }: TouchedRecord) => type === 'task' && changes.deleted_at
  const restored = of('changed').filter(isRestored)
  const changed = of('changed').filter((record) => !isRestored(record))
  const others = await tx.all(trashedWithoutEvents, { operation_id: id })
  return [
    ...deleted.filter((record) => !isBelow(record)),
    ...deleted.filter(isBelow),
    ...others.map((one): TouchedRecord => {
      const type = one.type === 'view' ? 'view' : 'template'
      return { type, id: one.id, verb: 'deleted', data: {}, changes: {} }
    }),
    // What was created last may belong to what was created first.
    ...of('created').toReversed(),
    // A subtask goes before its task, so that one on which somebody works keeps both.
    ...restored.toReversed(),
    ...changed.filter((record) => !isBelow(record)),
    ...changed.filter(isBelow).toReversed(),
    ...entries,
  ]
}

/** What only the web app writes is taken back by people in it, and by imports. */
const isCredential = ({ type }: Actor): boolean => type === 'api_key' || type === 'app'

/** Takes one record back, or nothing of it; returns why it is left if that is refused. */
async function attempt(context: UndoContext, record: TouchedRecord): Promise<TakenBack | Reason> {
  const { tx } = context
  const inverse = INVERSES[`${record.type}.${record.verb}`]
  if (!inverse) return NOT_UNDOABLE
  const { scope, run } = inverse
  if (scope === 'session' && isCredential(tx.actor)) return NOT_UNDOABLE
  if (scope !== 'session') assertScope(context, scope)
  try {
    return await tx.runOperation(() => run(context, record), tx.operation_id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (error.code === 'insufficient_scope') throw error
    const { code, message } = error
    return code === 'not_found' ? { code: 'gone', message: 'It is gone.' } : { code, message }
  }
}

/** To delete what a credential has created or restored itself, it needs only the scope by which it did so. */
function assertScope({ tx: { actor }, operation }: UndoContext, scope: Scope): void {
  const { user_id, credential_id } = operation
  const isItsOwn = user_id === actor.user_id && credential_id === actor.credential_id
  const needed = isItsOwn ? (SCOPE_TO_WRITE[scope] ?? scope) : scope
  if (!actor.scopes.has(needed)) throw insufficientScope(needed)
}

const SCOPE_TO_WRITE: Readonly<Partial<Record<Scope, Scope>>> = {
  'tasks:delete': 'tasks:write',
  'comments:delete': 'comments:write',
  'time_entries:delete': 'time_entries:write',
  'tags:delete': 'tags:write',
  'attachments:delete': 'attachments:write',
}

/** Why a record or a field is left; of a task, also who has changed it. */
async function toLeft(
  { tx, operation }: UndoContext,
  { type, id, verb }: TouchedRecord,
  { code, message, field }: Reason,
): Promise<LeftRecord> {
  const known = { operation_id: operation.id, record_type: type, record_id: id, code, message }
  if (type !== 'task' || code !== CHANGED_SINCE.code)
    return { ...known, field: field ?? null, changed_by_id: null, changed_at: null }
  const history = await tx.all(changesOfTaskSince, {
    task_id: id,
    since: operation.created_at,
    limit: MAX_HISTORY,
  })
  const [name = ''] = field?.split('.') ?? []
  const change = history.find(
    ({ changes, operation_id }) =>
      operation_id !== operation.id &&
      operation_id !== tx.operation_id &&
      (verb === 'created' || name in (JSON.parse(changes) as object)),
  )
  return {
    ...known,
    field: field ?? null,
    changed_by_id: change?.actor_id ?? null,
    changed_at: change?.created_at ?? null,
  }
}

interface Inverse {
  /** What taking it back by hand would need: a scope, or a session of the web app. */
  scope: Scope | 'session'
  run(context: UndoContext, record: TouchedRecord): Promise<TakenBack>
}

/** How each kind of change is taken back: by the operation that does so by hand, with its checks and events. */
const INVERSES: Readonly<Record<string, Inverse>> = {
  'task.created': { scope: 'tasks:delete', run: deleteTask },
  'task.deleted': { scope: 'tasks:write', run: restoreTask },
  'task.changed': { scope: 'tasks:write', run: changeTask },
  'comment.created': {
    scope: 'comments:delete',
    async run({ tx }, { id, data }) {
      const comment = await loadCommentToDelete(tx, id)
      assertAsLeft(comment, data)
      await removeComment(tx, comment, inputOf(id))
      return DONE
    },
  },
  'comment.deleted': {
    scope: 'comments:write',
    async run({ tx, operation }, { id }) {
      const comment = await loadCommentToRestore(tx, id)
      // Somebody has restored and deleted it since.
      if ('deleted_at' in comment && comment.deleted_at !== operation.created_at) throw changed()
      await restoreComment(tx, comment, { ...inputOf(id), body: {} })
      return DONE
    },
  },
  'comment.changed': {
    scope: 'comments:write',
    async run({ tx }, { id, changes: { body, edited_at } }) {
      const comment = await loadOwnComment(tx, id)
      if (body === undefined || comment.body !== body.to) throw changed()
      const formerly = typeof edited_at?.from === 'string' ? edited_at.from : null
      await editComment(tx, comment, String(body.from), formerly)
      return { isDone: true, fields: ['body'], left: [] }
    },
  },
  'time_entry.created': {
    scope: 'time_entries:delete',
    async run({ tx }, { id, data }) {
      const entry = await loadTimeEntryToWrite(tx, id)
      // Its project is that of its task.
      if (!isAsLeft({ ...fromJson(entry.json), project_id: data.project_id }, data)) throw changed()
      await removeTimeEntry(tx, entry, inputOf(id))
      return DONE
    },
  },
  'time_entry.deleted': {
    scope: 'time_entries:write',
    async run({ tx, operation }, { id }) {
      await restoreTimeEntry(tx, operation.id, id)
      return DONE
    },
  },
  'time_entry.changed': { scope: 'time_entries:write', run: changeTimeEntry },
  'tag.created': {
    scope: 'tags:delete',
    async run({ tx, operation }, { id, data }) {
      const tag = await loadTagToWrite(tx, id)
      assertAsLeft(tag, data)
      const since = operation.created_at
      const isTaggedSince = await tx.one(taggingSince, { tag_id: id, since })
      if (isTaggedSince || fromJson(tag.json).task_count !== data.task_count) throw changed()
      await removeTag(tx, tag, inputOf(id))
      return DONE
    },
  },
  'tag.deleted': {
    scope: 'tags:write',
    async run({ tx, operation }, { id }) {
      await restoreTag(tx, operation.id, id)
      return DONE
    },
  },
  'tag.changed': {
    scope: 'tags:write',
    async run({ tx }, { id, changes }) {
      const tag = await loadTagToWrite(tx, id)
      const { before, left } = fieldsBefore(fromJson(tag.json), changes)
      await updateTag(tx, tag, { ...inputOf(id), body: before })
      return { isDone: true, fields: Object.keys(before), left }
    },
  },
  'attachment.created': {
    scope: 'attachments:delete',
    async run({ tx }, { id }) {
      await removeAttachment(tx, await loadAttachmentToDelete(tx, id), inputOf(id))
      return DONE
    },
  },
  'attachment.deleted': {
    scope: 'attachments:write',
    async run({ tx, operation }, { id }) {
      await restoreAttachment(tx, operation.id, id)
      return DONE
    },
  },
  // Projects are written only in the web app, and are never deleted.
  'project.created': {
    scope: 'session',
    async run({ tx }, { id, data }) {
      const project = fromJson((await loadProjectToChange(tx, { params: { id } })).json)
      if (!isAsLeft(project, data) || project.task_counts.total > 0) throw changed()
      await changeProject(tx, id, { archived: true })
      return DONE
    },
  },
  'project.changed': { scope: 'session', run: changeProjectBack },
  'template.deleted': {
    scope: 'session',
    async run({ tx, operation }, { id }) {
      await restoreTemplate(tx, operation.id, id)
      return DONE
    },
  },
  'view.deleted': {
    scope: 'session',
    async run({ tx, operation }, { id }) {
      await restoreView(tx, operation.id, id)
      return DONE
    },
  },
}

/** Deletes a task that the operation created, if nobody has worked on it since. */
async function deleteTask(context: UndoContext, record: TouchedRecord): Promise<TakenBack> {
  const { tx, kept } = context
  try {
    const task = await loadTaskToDelete(tx, record.id)
    const { comment_count, attachment_count, subtask_count, blocking_ids } = task.record
    const logged = await tx.one(anyEntryOfTask, { task_id: record.id })
    const isUntouched =
      isAsLeft(task.record, record.data) &&
      comment_count === 0 &&
      attachment_count === 0 &&
      isJsonEqual(blocking_ids, record.data.blocking_ids) &&
      // What the operation created below it is deleted already.
      subtask_count === 0 &&
      logged === undefined
    if (!isUntouched) throw changed()
    await removeLoadedTask(tx, task)
    return DONE
  } catch (error) {
    kept.push(record)
    throw error
  }
}

async function restoreTask(
  { tx, operation }: UndoContext,
  { id }: TouchedRecord,
): Promise<TakenBack> {
  const task = await loadTaskToRestore(tx, id)
  if (task.deleted_at === null) return ALREADY
  // Somebody has restored and deleted it since.
  if (task.deleted_by_operation_id !== operation.id) throw changed()
  await restoreLoadedTask(tx, task)
  return DONE
}

async function changeTask(context: UndoContext, record: TouchedRecord): Promise<TakenBack> {
  const { tx, move, kept } = context
  const { id } = record
  if (record.changes.deleted_at) return deleteRestoredTask(context, record)
  const changes = await completeChanges(context, record)
  const task = await loadTaskToWrite(tx, id)
  const isBack = changes.project_id && task.project_id === changes.project_id.from
  // It came back with its parent.
  if (isBack && move.has(String(record.data.parent_id))) return ALREADY
  const { recurrence, ...others } = changes
  const undone = await undoTaskChanges(
    tx,
    task,
    {
      ...others,
      // The next occurrence stays and repeats, so this one does not.
      ...(recurrence && !kept.some(({ data }) => data.recurred_from_id === id) && { recurrence }),
    },
    move,
  )
  return { isDone: undone.undone.length > 0, fields: undone.undone, left: undone.left }
}

/** What an operation has changed, with the long description that the event leaves out. */
async function completeChanges(
  { tx, operation }: UndoContext,
  { id, data, changes }: TouchedRecord,
): Promise<FieldChanges> {
  const { description } = changes
  if (!description?.truncated) return changes
  const replaced = await tx.one(trashOf, { operation_id: operation.id, id })
  const from = replaced?.record ?? description.from
  return { ...changes, description: { from, to: data.description } }
}

/** A restored task goes back to the trash. */
async function deleteRestoredTask(context: UndoContext, { id, data }: TouchedRecord) {
  const { tx, operation } = context
  assertScope(context, 'tasks:delete')
  const task = await loadTaskToDelete(tx, id)
  const work = await tx.one(workOnTaskSince, { task_id: id, since: operation.created_at })
  // Subtasks that the operation restored are deleted already.
  const isUntouched = isAsLeft(task.record, data) && !work && task.record.subtask_count === 0
  if (!isUntouched) throw changed()
  await removeLoadedTask(tx, task)
  return DONE
}

const SPAN = ['started_at', 'ended_at', 'duration_seconds'] as const

async function changeTimeEntry({ tx }: UndoContext, { id, changes }: TouchedRecord) {
  const entry = await loadTimeEntryToWrite(tx, id)
  const record = fromJson(entry.json)
  const { before, left } = fieldsBefore(record, changes)
  // The times of an entry are one value.
  const isSpanKept = SPAN.every((name) => !left.includes(name))
  if (!isSpanKept) for (const name of SPAN) delete before[name]
  const { is_running: _, billable, ...next } = { ...record, ...before }
  if (next.duration_seconds === null && !record.is_running)
    await assertNoTimerRuns(tx, record.user_id)
  delete before.is_running
  const fields = Object.keys(before)
  if (fields.length > 0) await writeEntry(tx, entry, { ...next, billable: Number(billable) })
  return { isDone: fields.length > 0, fields, left }
}

async function changeProjectBack(context: UndoContext, record: TouchedRecord) {
  const { tx } = context
  const { id } = record
  const changes = await completeChanges(context, record)
  const project = fromJson((await loadProjectToChange(tx, { params: { id } })).json)
  const { before, left } = fieldsBefore(project, changes)
  const { archived_at, ...fields } = before
  const archived = archived_at === undefined ? {} : { archived: archived_at !== null }
  await changeProject(tx, id, { ...fields, ...archived } satisfies ProjectChanges)
  return { isDone: true, fields: Object.keys(before), left }
}

/** The fields of a record that still are as a change left them, with their former values; the others are left. */
function fieldsBefore<R extends object>(record: R, changes: FieldChanges) {
  const before: Partial<R> = {}
  const left: string[] = []
  for (const [field, { from, to }] of Object.entries(changes)) {
    const isKept = isJsonEqual(record[field as keyof R], to)
    // The event log holds values of these very fields.
    if (isKept) Object.assign(before, { [field]: from })
    else left.push(field)
  }
  if (left.length > 0 && Object.keys(before).length === 0) throw changed()
  return { before, left }
}

const changed = () => conflict('changed_since', CHANGED_SINCE.message)

/**
 * Whether a record is as an operation left it. Its version does not say so: somebody's change may have been undone
 * before, as when the operations of a key are undone one after the other.
 */
const isAsLeft = (record: object, data: OperationEvent['data']): boolean =>
  Object.keys(diffRecords(data, record)).every((field) => DERIVED.has(field))

/** Fields that change with another record. */
const DERIVED: ReadonlySet<string> = new Set(['author', 'short_id', 'url'])

function assertAsLeft({ json }: { json: Json<object> }, data: OperationEvent['data']): void {
  if (!isAsLeft(fromJson(json), data)) throw changed()
}
