import { conflict } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { RecordReply } from '#core/route.ts'
import type { FieldChanges, ReadTx, WriteTx } from '#core/transaction.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { MAX_TASK_TAGS } from '#resources/tags/contract.ts'
import { addTagLink } from '#resources/tags/store.ts'
import type { FieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import type { TaskChanges } from '../contract.ts'
import {
  COLUMN_SOURCES,
  DEFAULT_TASK_FIELDS,
  MAX_ASSIGNEES,
  MAX_BLOCKERS,
  PRIORITIES,
  pickFields,
  REPLACED_FIELDS,
  type Task,
  type TaskFields,
} from '../fields.ts'
import {
  applySetChange,
  assertDependencyLimits,
  checkAssignees,
  checkBlockers,
  checkParent,
  checkStatus,
  checkTags,
  enterStatus,
  findCrossFieldErrors,
  mergeObject,
  resolveDates,
} from '../rules/rules.ts'
import {
  addAssignee,
  addBlocker,
  adjustTagCount,
  diffSets,
  refreshDependencies,
  removeAssignee,
  removeBlocker,
  removeTagLink,
} from '../statements/links.ts'
import { visibleTasksByIds } from '../statements/related.ts'
import {
  adjustSubtaskCounts,
  adjustTaskCount,
  type SettableTaskColumns,
  setTaskColumns,
  taskByExternalId,
  writeTaskWords,
} from '../store.ts'
import { writtenTaskRecord } from '../task-json.ts'

/**
 * The fields of a task that decide where it is counted: in its project, its parent and its tags.
 */
type CountedTask = Pick<Task, 'project_id' | 'status_category' | 'parent_id' | 'tag_ids'>

/**
 * Collects the changes of counters by an operation and writes each row once. PostgreSQL visits all
 * versions of a row that the transaction has made already, so a thousand updates of one project
 * would cost half a million steps.
 */
export class TaskCounters {
  readonly #projects = new Map<string, Map<StatusCategory, number>>()
  readonly #parents = new Map<string, { by: number; completed: number }>()
  readonly #tags = new Map<string, number>()

  /** Adds or subtracts a task in all counters. */
  add(task: CountedTask, by: 1 | -1): void {
    const { project_id, status_category, parent_id, tag_ids } = task
    const categories = this.#projects.get(project_id) ?? new Map<StatusCategory, number>()
    categories.set(status_category, (categories.get(status_category) ?? 0) + by)
    this.#projects.set(project_id, categories)
    if (parent_id !== null) {
      const parent = this.#parents.get(parent_id) ?? { by: 0, completed: 0 }
      const completed = status_category === 'completed' ? by : 0
      this.#parents.set(parent_id, {
        by: parent.by + by,
        completed: parent.completed + completed,
      })
    }
    for (const tag_id of tag_ids) this.#tags.set(tag_id, (this.#tags.get(tag_id) ?? 0) + by)
  }

  /** Writes the collected changes; those that add up to zero change no row. */
  async write(tx: WriteTx): Promise<void> {
    for (const [project_id, categories] of this.#projects) {
      for (const [category, by] of categories) {
        if (by !== 0) await tx.run(adjustTaskCount(category), { project_id, by })
      }
    }
    for (const [parent_id, { by, completed }] of this.#parents) {
      if (by === 0 && completed === 0) continue
      await tx.run(adjustSubtaskCounts, { parent_id, by, completed })
    }
    for (const [tag_id, by] of this.#tags)
      if (by !== 0) await tx.run(adjustTagCount, { tag_id, by })
  }
}

/** The status of a task, and the fields that follow from it. */
export type StatusFields = Pick<
  Task,
  'status' | 'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
>

/** Converts fields to columns. The lists of dependencies are built from their links. */
export function toTaskColumns(fields: Partial<Task>): Partial<SettableTaskColumns> {
  const columns: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const source = isColumn(name) ? COLUMN_SOURCES[name] : undefined
    if (source === undefined || name === 'blocked_by_ids' || name === 'blocking_ids') continue
    columns[name] = source === 'json' && value !== null ? JSON.stringify(value) : value
  }
  if (fields.priority) columns.priority_rank = PRIORITIES.indexOf(fields.priority)
  return columns
}

const isColumn = (name: string): name is keyof typeof COLUMN_SOURCES => name in COLUMN_SOURCES

/** The project that a task is in, or moves to, with what rules about tasks need. */
export interface TaskProjectContext {
  project_id: string
  prefix: string
  archived_at: string | null
  statuses: readonly { key: string; category: StatusCategory }[]
}

/** The input of an update. The input of a new task fits it too. */
export type TaskInput = Static<typeof TaskChanges>

/** The resolved fields, and a check for conflicts with stored state, which comes after all 422. */
interface ResolvedTaskInput {
  fields: TaskFields
  assertNoConflicts: () => Promise<void>
}

/**
 * Resolves the fields of a task in a project and collects all field errors (docs/spec/api.md#task). `base`
 * has the present fields, or those that a move has mapped. `id` is null for a new task.
 */
export async function resolveTaskInput(
  tx: ReadTx,
  id: string | null,
  { project_id, statuses }: TaskProjectContext,
  base: TaskFields,
  input: TaskInput,
  errors: FieldError[],
): Promise<ResolvedTaskInput> {
  const status = input.status ?? base.status
  if (input.status !== undefined) checkStatus(status, statuses, errors)

  const { assignee_ids: whole, add_assignee_ids: add, remove_assignee_ids: remove } = input
  const assigneeChange = { whole, add, remove }
  const assignees = applySetChange(
    'assignee_ids',
    base.assignee_ids,
    assigneeChange,
    MAX_ASSIGNEES,
    errors,
  )
  await checkAssignees(tx, project_id, assignees, errors)

  const tagChange = { whole: input.tag_ids, add: input.add_tag_ids, remove: input.remove_tag_ids }
  const tags = applySetChange('tag_ids', base.tag_ids, tagChange, MAX_TASK_TAGS, errors)
  await checkTags(tx, project_id, tags, errors)

  const blockerChange = { whole: input.blocked_by_ids ?? base.blocked_by_ids }
  const blockers = applySetChange(
    'blocked_by_ids',
    base.blocked_by_ids,
    blockerChange,
    MAX_BLOCKERS,
    errors,
  )
  const areBlockersChecked = await checkBlockers(tx, id, blockers, errors)

  const { parent_id = base.parent_id } = input
  if (parent_id !== null && parent_id !== base.parent_id) {
    await checkParent(tx, id, project_id, parent_id, errors)
  }
  const dates = resolveDates(base, input, tx.actor.workspace_timezone, errors)
  const { recurrence: rule = base.recurrence } = input
  const recurrence = rule && { rrule: rule.rrule, basis: rule.basis ?? ('due_date' as const) }
  const { external_source = base.external_source, external_id = base.external_id } = input
  const compared = { ...dates, recurrence, external_source, external_id }
  errors.push(...findCrossFieldErrors(compared, input))
  const fields: TaskFields = {
    ...replaceFields(base, input),
    status,
    assignee_ids: assignees.ids,
    tag_ids: tags.ids,
    ...dates,
    parent_id,
    blocked_by_ids: blockers.ids,
    recurrence,
    custom_fields: mergeObject('custom_fields', base.custom_fields, input.custom_fields, errors),
    metadata: mergeObject('metadata', base.metadata, input.metadata, errors),
  }
  return {
    fields,
    async assertNoConflicts() {
      const isSameExternalId =
        external_source === base.external_source && external_id === base.external_id
      if (!isSameExternalId) await assertExternalIdFree(tx, id, fields)
      const { blocked_by_ids } = base
      await assertDependencyLimits(tx, { id, blocked_by_ids }, blockers, areBlockersChecked)
    },
  }
}

/** The fields that take the value that is sent as it is, or stay. */
function replaceFields(base: TaskFields, input: TaskInput): Pick<TaskFields, ReplacedField> {
  const sent = REPLACED_FIELDS.filter((name) => input[name] !== undefined)
  return { ...pickFields(base, REPLACED_FIELDS), ...pickFields(input, sent) }
}
type ReplacedField = (typeof REPLACED_FIELDS)[number]

/** The fields of a new task before the input is applied. */
export const newTaskFields = (title: string, status: string): TaskFields => ({
  ...DEFAULT_TASK_FIELDS,
  title,
  status,
})

/** External source and id are unique among the undeleted tasks of the workspace. */
export async function assertExternalIdFree(
  tx: ReadTx,
  id: string | null,
  { external_source, external_id }: Pick<TaskFields, 'external_source' | 'external_id'>,
): Promise<void> {
  if (external_source === null || external_id === null) return
  const existing = await tx.one(taskByExternalId, { external_source, external_id, id: id ?? '' })
  if (!existing) return
  const visibleTasks = await tx.all(visibleTasksByIds, { ids: [existing.id] })
  const message = 'Another task already has this `external_source` and `external_id`.'
  throw conflict('external_id_exists', message, [
    {
      field: 'external_id',
      code: 'external_id_exists',
      message,
      ...(visibleTasks.length > 0 && { resource_id: existing.id }),
    },
  ])
}

/** The state that an operation gives a task. */
interface NextTaskState {
  fields: TaskFields
  /** The statuses of its project, in which `fields.status` is one. */
  statuses: TaskProjectContext['statuses']
  /** What only some operations set: the rank; the project with the number there. */
  placement?: Partial<Pick<Task, 'position' | 'project_id' | 'number' | 'short_id'>> | undefined
  /** When it had entered the category of its status before what is undone. */
  entered?: Partial<StatusFields>
}

/** A task before and after an operation, and every field that differs. */
export interface TaskDiff {
  before: Task
  /** Without what the write itself derives: version, time, counts. */
  after: Task
  /** As events show it: without derived fields, and without texts that are too long for an event. */
  changes: FieldChanges
  /** The task with its recurrence, if the operation completes it. */
  completed: Task | undefined
}

/** Compares a task with its next state, once for the columns to write and for the events. */
export function diffTask(
  tx: WriteTx,
  before: Task,
  { fields, statuses, placement, entered }: NextTaskState,
): TaskDiff {
  const statusFields = { ...enterStatus(tx, statuses, fields.status, before), ...entered }
  const isCompletion =
    statusFields.status_category === 'completed' && before.status_category !== 'completed'
  // The next occurrence recurs in place of a task that is completed.
  const recurrence = isCompletion ? null : fields.recurrence
  const after: Task = { ...before, ...fields, ...statusFields, recurrence, ...placement }
  const changes = diffRecords(before, after)
  return { before, after, changes, completed: isCompletion ? { ...before, ...fields } : undefined }
}

/**
 * Writes what differs between a task and its next state, with everything that is derived from it.
 * Returns the task as stored, or undefined if nothing differs.
 */
export async function saveTaskChange(
  tx: WriteTx,
  change: TaskDiff,
  { prefix }: TaskProjectContext,
): Promise<RecordReply<Task> | undefined> {
  const { id, version } = change.before
  const counters = new TaskCounters()
  if (!(await writeTaskChange(tx, change, counters))) return undefined
  await counters.write(tx)
  const row = await tx.one(writtenTaskRecord, { id, prefix })
  if (!row) throw new Error('A task is gone while an operation writes it')
  return { id, revision: version + 1, json: row.json }
}

/**
 * Writes one of many tasks and returns whether anything differed. The caller writes the counters
 * once, after the last task.
 */
export async function writeTaskChange(
  tx: WriteTx,
  { before, after, changes }: TaskDiff,
  counters: TaskCounters,
): Promise<boolean> {
  const changedFields = Object.entries(after).filter(([name]) => name in changes)
  if (changedFields.length === 0) return false
  const columns: Partial<SettableTaskColumns> = {
    ...toTaskColumns(Object.fromEntries(changedFields)),
    version: before.version + 1,
    updated_at: nextUpdatedAt(tx, before.updated_at),
  }
  const columnNames = (Object.keys(columns) as (keyof SettableTaskColumns)[]).toSorted()
  await tx.run(setTaskColumns(columnNames), { ...columns, id: before.id })
  if ('title' in changes || 'description' in changes) {
    const words = toIndexWords(
      tx.actor.workspace_id,
      toSearchableText(after.title, after.description),
    )
    await tx.run(writeTaskWords, { id: before.id, words })
  }
  await writeLinks(tx, before, after)
  counters.add(before, -1)
  counters.add(after, 1)
  return true
}

/** Writes the assignees, tags and blockers that were added or removed. */
async function writeLinks(tx: WriteTx, before: Task, after: Task): Promise<void> {
  const task_id = before.id
  const assignees = diffSets(before.assignee_ids, after.assignee_ids)
  for (const user_id of assignees.gained) await tx.run(addAssignee, { user_id, task_id })
  for (const user_id of assignees.lost) await tx.run(removeAssignee, { user_id, task_id })
  const tags = diffSets(before.tag_ids, after.tag_ids)
  for (const tag_id of tags.gained) await tx.run(addTagLink, { tag_id, task_id })
  for (const tag_id of tags.lost) await tx.run(removeTagLink, { tag_id, task_id })
  const blockers = diffSets(before.blocked_by_ids, after.blocked_by_ids)
  for (const blocker_id of blockers.gained) await tx.run(addBlocker, { task_id, blocker_id })
  for (const blocker_id of blockers.lost) await tx.run(removeBlocker, { task_id, blocker_id })
  const changedBlockers = [...blockers.gained, ...blockers.lost]
  if (changedBlockers.length > 0) await refreshDependencies(tx, [task_id, ...changedBlockers])
}
