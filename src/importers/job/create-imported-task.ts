import { viewerId } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { MAX_COMMENT_LENGTH } from '#resources/comments/contract.ts'
import { createCommentAs as createComment } from '#resources/comments/operations.ts'
import type { ImportedComment, ImportedTask } from '#resources/imports/imported-task.ts'
import { findMembersWithAccess } from '#resources/members/project-access.ts'
import { MAX_DESCRIPTION_LENGTH } from '#resources/tasks/fields.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { resolveStatus } from './resolve-targets.ts'
import { type RowBatch, relatedKeysOf } from './row-batch.ts'

/** Kinds whose rows have stable ids: a task that an earlier import has made is not made twice. */
const KINDS_WITH_IDS: readonly string[] = [
  'docket',
  'trello',
  'linear',
  'jira',
  'github',
  'vikunja',
]

/**
 * Creates the task of a row with its comments by the operations of the API, and returns its id. The
 * description lists what could not be matched: people who are no members, and tasks that the file
 * does not hold. An expected error becomes the fault of the row.
 */
export async function createImportedTask(
  batch: RowBatch,
  row: ImportedTask,
  { project_id, tag_ids }: { project_id: string; tag_ids: string[] },
): Promise<string> {
  const { tx, people } = batch
  const userIds = row.assignees.flatMap((name) => people.get(name) ?? [])
  const assignees = await findMembersWithAccess(tx, project_id, userIds)
  const unmatched = row.assignees.filter((name) => !assignees.has(people.get(name) ?? ''))
  const { parent, blockers, missing } = resolveRelatedTasks(batch, row)
  const status = await resolveStatus(batch, project_id, row)
  const kind = KINDS_WITH_IDS.find((one) => one === batch.record.kind)
  const { title, priority, start_date, due_date, due_at, estimate_seconds } = row
  const { recurrence, custom_fields, metadata } = row
  // A rule that counts from the due date needs one.
  const repeats = recurrence && (due_at || due_date || recurrence.basis === 'completion')
  const task = await createTaskFromInput(tx, {
    ...{
      project_id,
      title: title.trim(),
      priority,
      start_date,
      // The time decides on the day.
      ...(due_at ? { due_at } : { due_date }),
      estimate_seconds,
      tag_ids,
    },
    description: describeUnmatched(row, unmatched, missing),
    assignee_ids: [...assignees].toSorted(),
    parent_id: parent,
    blocked_by_ids: blockers,
    ...(repeats && { recurrence }),
    ...(custom_fields && { custom_fields }),
    ...(metadata && { metadata }),
    ...(status !== undefined && { status }),
    ...(kind && row.key !== null && { external_source: kind, external_id: row.key }),
  })
  const commentIds: string[] = []
  for (const comment of row.comments) {
    const parent_id = comment.reply_to === undefined ? undefined : commentIds[comment.reply_to]
    commentIds.push(await addComment(tx, task.id, comment, parent_id, people))
  }
  return task.id
}

/**
 * The tasks of the parent and the blockers of a row, which were made before it, and the keys that
 * the file does not hold.
 */
function resolveRelatedTasks({ tasks }: RowBatch, row: ImportedTask) {
  const { parent, blocked_by } = row
  const keys = relatedKeysOf(row)
  const failed = keys.find((key) => tasks.get(key) === null)
  if (failed !== undefined) {
    throw conflict(
      'related_not_made',
      `Not imported, because "${failed}", which it belongs to, was not imported.`,
    )
  }
  const taskOf = (key: string) => tasks.get(key) ?? []
  return {
    parent: parent === null ? null : (tasks.get(parent) ?? null),
    blockers: [...new Set(blocked_by.flatMap(taskOf))].toSorted(),
    missing: keys.filter((key) => !tasks.has(key)),
  }
}

/** Appends what could not be matched to the description, unless it would get too long. */
function describeUnmatched(
  { description, parent, notes = [] }: ImportedTask,
  people: string[],
  missing: string[],
): string | null {
  const blockers = missing.filter((key) => key !== parent)
  const lines = [
    ...notes,
    ...(people.length > 0 ? [`Assigned to: ${people.join(', ')}`] : []),
    ...(missing.length > blockers.length ? [`Part of: ${parent}`] : []),
    ...(blockers.length > 0 ? [`Blocked by: ${blockers.join(', ')}`] : []),
  ]
  if (lines.length === 0) return description
  const text = [description ?? '', lines.join('\n')].filter((part) => part !== '').join('\n\n')
  return text.length > MAX_DESCRIPTION_LENGTH ? description : text
}

/**
 * Adds a comment as its author if that is a member. Otherwise its first line has author and day.
 */
async function addComment(
  tx: WriteTx,
  task_id: string,
  { author, at, body }: ImportedComment,
  parent_id: string | undefined,
  people: ReadonlyMap<string, string>,
): Promise<string> {
  const member = author === null ? null : (people.get(author) ?? null)
  const head = [member === null ? author : null, at?.slice(0, 10)].filter(Boolean).join(', ')
  const text = head === '' ? body : `*${head}*\n\n${body}`
  const fitted = text.length <= MAX_COMMENT_LENGTH ? text : body
  const task = await loadTask(tx, task_id)
  const reply = { body: fitted, ...(parent_id !== undefined && { parent_id }) }
  return (await createComment(tx, task, member ?? viewerId(tx.actor), reply)).id
}
