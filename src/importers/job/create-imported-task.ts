import { viewerId } from '#core/actor.ts'
import type { Query, WriteTx } from '#core/transaction.ts'
import { parsePriority } from '#lib/cell-values.ts'
import { createCommentAs as createComment } from '#resources/comments/operations.ts'
import type { ImportedComment, ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportWarning } from '#resources/imports/internal.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import {
  MAX_ASSIGNEES,
  MAX_BLOCKED_TASKS,
  MAX_DESCRIPTION_LENGTH,
  type Task,
} from '#resources/tasks/fields.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { MAX_SUBTASK_LEVELS } from '#resources/tasks/rules/rules.ts'
import { blockedTaskCount } from '#resources/tasks/statements/links.ts'
import { ancestors, visibleTasksByIds } from '#resources/tasks/statements/related.ts'
import { taskByExternalId } from '#resources/tasks/store.ts'
import { withExtraValues } from '../mapping/extra-values.ts'
import {
  createLossNoter,
  type LossNoter,
  MAX_COMMENT_BODY_LENGTH,
  splitText,
  toWarning,
} from '../mapping/fit-row.ts'
import { resolveDay, resolveImportedDates } from '../mapping/parse-values.ts'
import { findKindWithIds } from '../sources/source-kinds.ts'
import type { RowBatch } from './order-rows.ts'
import { type ResolvedTags, resolveStatus } from './resolve-targets.ts'

/**
 * Wraps a transaction so that it caches the rows of some queries. Nothing that the transaction
 * writes may change their results; nobody else writes to the workspace meanwhile. Empty results are
 * not cached, for the rows may be created later.
 */
export function withQueryCache(tx: WriteTx, queries: readonly object[]): WriteTx {
  const cacheable = new Set(queries)
  const cache = new Map<object, Map<string, unknown[]>>()

  async function all<P, R>(query: Query<P, R>, args: Parameters<typeof tx.all<P, R>>[1]) {
    if (!cacheable.has(query)) return tx.all(query, args)
    const results = cache.get(query) ?? new Map<string, unknown[]>()
    cache.set(query, results)
    const key = JSON.stringify(args)
    const cached = results.get(key)
    if (cached) return cached as R[]
    const rows = await tx.all(query, args)
    if (rows.length > 0) results.set(key, rows)
    return rows
  }

  const one: typeof tx.one = async (query, args) => (await all(query, args))[0]
  const cached = { all, allNow: all, one, oneNow: one }
  return new Proxy(tx, {
    get(_, name) {
      if (Object.hasOwn(cached, name)) return Reflect.get(cached, name)
      const member: unknown = Reflect.get(tx, name)
      // A transaction has private fields, which only itself may read.
      return typeof member === 'function' ? member.bind(tx) : member
    },
  })
}

/**
 * Creates the task of a row with its comments by the operations of the API, and returns its id. What
 * does not fit the workspace is no reason to refuse the row: it becomes a line of the description,
 * and a warning unless that is usual, as for people who are no members.
 */
export async function createImportedTask(
  batch: RowBatch,
  given: ImportedTask,
  project_id: string,
  tags: ResolvedTags,
): Promise<{ task_id: string; warnings: ImportWarning[] }> {
  const { tx, people, plan, record } = batch
  const status = await resolveStatus(batch, project_id, given)
  // Nothing else says in which list a finished card was.
  const row = withExtraValues(given, [
    [record.kind === 'trello' ? 'list' : 'status', status.replaced],
  ])
  const warnings: ImportWarning[] = []
  const notes = [...(row.notes ?? [])]
  const lose = createLossNoter(notes, warnings)
  const priority = resolvePriority(batch, row, lose)
  const dates = toDates(batch, row, lose)
  if (tags.missing.length > 0) lose('tags', tags.missing.join(', '), 'no_room')
  const userIds = row.assignees.flatMap((name) => people.get(name) ?? [])
  const withAccess = await findMembersWithAccess(tx, project_id, userIds)
  const assignees = new Set([...withAccess].slice(0, MAX_ASSIGNEES))
  const unmatched = row.assignees.filter((name) => !assignees.has(people.get(name) ?? ''))
  if (unmatched.length > 0) lose('assignees', unmatched.join(', '))
  const parent_id = await resolveParent(batch, row, project_id, lose)
  const blocked_by_ids = await resolveBlockers(batch, row, lose)
  if (status.missing !== undefined) lose('status', status.missing, 'no_room')
  const kind = findKindWithIds(record.kind)
  const text = [row.description ?? '', notes.join('\n')].filter(Boolean).join('\n\n')
  const [description = ''] = splitText(text, MAX_DESCRIPTION_LENGTH)
  const rest = text.slice(description.length).trimStart()
  if (rest !== '') warnings.push(toWarning('description_continued', 'description'))
  const { recurrence, custom_fields, metadata } = row
  // A rule that counts from the due date needs one.
  const isDue = Boolean(dates.due_at ?? dates.due_date)
  const repeats = recurrence && (isDue || recurrence.basis === 'completion')
  const task = await createTaskFromInput(tx, {
    project_id,
    title: row.title.trim(),
    priority,
    ...dates,
    estimate_seconds: row.estimate_seconds,
    tag_ids: tags.ids,
    description: description === '' ? null : description,
    assignee_ids: [...assignees].toSorted(),
    parent_id,
    blocked_by_ids,
    ...(repeats && { recurrence }),
    ...(custom_fields && { custom_fields }),
    ...(metadata && { metadata }),
    ...(status.key !== undefined && { status: status.key }),
    ...(kind && row.key !== null && { external_source: kind, external_id: row.key }),
  })
  const continued = rest === '' ? [] : splitText(rest, MAX_COMMENT_BODY_LENGTH)
  for (const body of continued)
    await addComment(tx, task.id, { author: null, at: null, body }, people)
  const commentIds: string[] = []
  for (const { at, ...comment } of row.comments) {
    const parent_id = commentIds[comment.reply_to ?? -1]
    const dated = { ...comment, at: resolveDay(plan, at) }
    commentIds.push(await addComment(tx, task.id, dated, people, parent_id))
  }
  return { task_id: task.id, warnings }
}

function resolvePriority({ plan }: RowBatch, row: ImportedTask, lose: LossNoter) {
  const { priority_name: word = null } = row
  if (word === null) return row.priority
  const planned = plan.priorities.find(({ name }) => name === word)?.priority ?? 'none'
  if (planned === 'none' && parsePriority(word) === undefined)
    lose('priority', word, 'not_a_priority')
  return planned
}

function toDates(
  { tx, plan }: RowBatch,
  row: ImportedTask,
  lose: LossNoter,
): Partial<Pick<Task, 'start_date' | 'due_date' | 'due_at'>> {
  const dates = resolveImportedDates(plan, row, tx.actor.workspace_timezone)
  const { start_date, due_date, due_at, late_start } = dates
  if (late_start !== null) lose('start_date', late_start, 'after_due_date')
  return { start_date, ...(due_at === null ? { due_date } : { due_at }) }
}

/**
 * The task of a key: of a row of the file, or of an earlier import of the same tool. A row that is empty, was
 * rejected or comes later, because rows wait for each other, has none.
 */
async function findTask(batch: RowBatch, key: string): Promise<string | undefined> {
  const { tx, tasks, record } = batch
  const kind = findKindWithIds(record.kind)
  const made = tasks.get(key)
  if (made || !kind) return made ?? undefined
  const ids = { external_source: kind, external_id: key, id: '' }
  return (await tx.one(taskByExternalId, ids))?.id
}

/** The parent of the task; one level higher, with a warning, where there would be too many. */
async function resolveParent(
  batch: RowBatch,
  { parent: key }: ImportedTask,
  project_id: string,
  lose: LossNoter,
): Promise<string | null> {
  if (key === null) return null
  const { tx, tasks } = batch
  const id = await findTask(batch, key)
  const [parent] = id === undefined ? [] : await tx.all(visibleTasksByIds, { ids: [id] })
  if (parent?.project_id !== project_id) {
    const code = tasks.has(key) ? 'no_task' : 'not_in_file'
    lose('parent', key, parent ? 'in_other_project' : code)
    return null
  }
  const above = await tx.all(ancestors, { id: parent.id })
  if (above.length + 1 < MAX_SUBTASK_LEVELS) return parent.id
  lose('parent', key, 'too_deep')
  return parent.parent_id
}

async function resolveBlockers(
  batch: RowBatch,
  { blocked_by }: ImportedTask,
  lose: LossNoter,
): Promise<string[]> {
  const { tx, tasks } = batch
  const found = new Map<string, string | undefined>()
  for (const key of blocked_by) found.set(key, await findTask(batch, key))
  const ids = [...new Set([...found.values()].flatMap((id) => id ?? []))]
  const blockers = new Set<string>()
  for (const { id } of ids.length === 0 ? [] : await tx.all(visibleTasksByIds, { ids })) {
    const { count } = (await tx.one(blockedTaskCount, { id })) ?? { count: 0 }
    if (count < MAX_BLOCKED_TASKS) blockers.add(id)
  }
  const missing = [...found].flatMap(([key, id]) => (id === undefined ? key : []))
  const full = [...found].flatMap(([key, id]) => (id && !blockers.has(id) ? key : []))
  const isUnknown = missing.some((key) => !tasks.has(key))
  if (full.length > 0) lose('blocked_by', full.join(', '), 'blocks_too_many')
  if (missing.length > 0)
    lose('blocked_by', missing.join(', '), isUnknown ? 'not_in_file' : 'no_task')
  return [...blockers].toSorted()
}

/**
 * Adds a comment as its author if that is a member. Otherwise its first line has author and day.
 */
async function addComment(
  tx: WriteTx,
  task_id: string,
  { author, at, body }: Omit<ImportedComment, 'at'> & { at: string | null },
  people: ReadonlyMap<string, string>,
  parent_id?: string,
): Promise<string> {
  const member = author === null ? null : (people.get(author) ?? null)
  const head = [member === null ? author : null, at].filter(Boolean).join(', ')
  const text = head === '' ? body : `*${head}*\n\n${body}`
  const task = await loadTask(tx, task_id)
  const reply = { body: text, ...(parent_id !== undefined && { parent_id }) }
  return (await createComment(tx, task, member ?? viewerId(tx.actor), reply)).id
}
