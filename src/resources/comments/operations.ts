import { may, recordSourceOf, viewerId } from '#core/actor.ts'
import { validationFailed } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { readInSlices } from '#core/page-request.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation, OperationInput } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { purgeTimeOf, trashSince } from '#core/trash.ts'
import { fixLimit, toListOrder, toPageWindow } from '#db/core/pagination.ts'
import {
  noteNotificationsOf,
  notifyCommentWatchers,
  notifyMentionedUsers,
} from '#db/notifications/notify.ts'
import { recordActivity } from '#db/tasks/record-activity.ts'
import { toIndexWords, writeCommentWords } from '#db/tasks/search-words.ts'
import { firstIdAt } from '#lib/id.ts'
import { fromJson, toJson } from '#lib/json.ts'
import { replaceOutsideCode } from '#lib/markdown-code.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import {
  findFewIds,
  findRecordsOfFewTasks,
  readFiltersOfTaskRecords,
} from '#resources/tasks/filters/task-records.ts'
import { type LoadedTask, resolveTaskId } from '#resources/tasks/load.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import type {
  createComment,
  deleteComment,
  getComment,
  listComments,
  listTaskComments,
  updateComment,
} from './contract.ts'
import type { DeletedComment, listDeletedComments, restoreComment } from './internal.ts'
import { loadComment, type loadCommentToRestore } from './load.ts'
import {
  adjustCommentCount,
  type CommentLead,
  commentIdsUpdatedSince,
  commentsOfTask,
  editComment,
  insertComment,
  insertDeletedComment,
  parentComment,
  removeComment,
  removeDeletedComment,
  selectComments,
  selectDeletedComments,
} from './store.ts'

const MAX_MENTIONS = 50

const MENTION = /<@(usr_[0-9a-hjkmnp-tv-z]{26})>/g

/**
 * The user ids that a text mentions as `<@usr_…>`, without duplicates, in order of occurrence. Code
 * mentions nobody.
 */
export function parseMentions(text: string): string[] {
  const ids = new Set<string>()
  // Most texts mention nobody, and need no search for code.
  if (!text.includes('<@usr_')) return []
  replaceOutsideCode(text, (part) => {
    for (const [, id = ''] of part.matchAll(MENTION)) ids.add(id)
    return part
  })
  return [...ids]
}

/**
 * The mentioned users who are active members and see the project (docs/spec/api.md#comment), at most 50. Every
 * other mention stays plain text.
 */
export async function resolveMentions(
  tx: ReadTx,
  project_id: string,
  text: string,
): Promise<string[]> {
  const ids = parseMentions(text)
  const membersWithAccess = await findMembersWithAccess(tx, project_id, ids)
  return ids.filter((id) => membersWithAccess.has(id)).slice(0, MAX_MENTIONS)
}

/** A comment is up to 260 KB, so that as many are 26 MB at most. */
const MAX_SLICE = 101

type LoadedComment = Awaited<ReturnType<typeof loadComment>>

/** The filters that all lists of comments have. */
function readFilters(tx: ReadTx, query: OperationInput<typeof listTaskComments>['query']) {
  const { author_id = '', updated_since = '' } = query
  return { author_id: author_id === 'me' ? viewerId(tx.actor) : author_id, updated_since }
}

export const listCommentsOfTask: Operation<typeof listTaskComments, LoadedTask> = async (
  tx,
  task,
  { query, page },
) => {
  const filters = { ...readFilters(tx, query), task_id: task.id }
  const [author, since] = [filters.author_id !== '', filters.updated_since !== '']
  const rows = await readInSlices(page, MAX_SLICE, (slice) => {
    const order = toListOrder(slice, null)
    const queryShape = { order: author || since ? order : fixLimit(order, slice), author, since }
    return tx.all(commentsOfTask(queryShape), { ...toPageWindow(slice), ...filters })
  })
  return page.toPage(rows)
}

export const listVisibleComments: Operation<typeof listComments> = async (
  tx,
  _,
  { query: { task_id: name, project_id, created_after, created_before, ...query }, page },
) => {
  const task_id = name === undefined ? '' : await resolveTaskId(tx, name)
  const filters = { ...readFilters(tx, query), task_id }
  const tasks = await readFiltersOfTaskRecords(tx, project_id)
  const comment_ids = task_id === '' ? await findFewComments(tx, tasks, filters) : undefined
  const has = {
    author: filters.author_id !== '',
    after: created_after !== undefined,
    before: created_before !== undefined,
    since: filters.updated_since !== '',
  }
  const lead = chooseLead(filters, comment_ids !== undefined)
  const rows = await readInSlices(page, MAX_SLICE, (slice) => {
    const order = { ...toListOrder(slice, null), ...(lead === 'ids' && { sorted: true }) }
    return tx.all(selectComments({ order, tasks: tasks.selection, lead, has }), {
      ...toPageWindow(slice),
      ...tasks.values,
      ...filters,
      comment_ids: comment_ids ?? [],
      first_id: created_after === undefined ? '' : firstIdAt('cmt', Date.parse(created_after)),
      end_id: created_before === undefined ? '' : firstIdAt('cmt', Date.parse(created_before)),
    })
  })
  return page.toPage(rows)
}

/**
 * The comments on the tasks that match a selective filter, or those changed since a time; undefined if
 * neither are few.
 */
async function findFewComments(
  tx: ReadTx,
  tasks: Awaited<ReturnType<typeof readFiltersOfTaskRecords>>,
  { updated_since }: { updated_since: string },
): Promise<readonly string[] | undefined> {
  const ids = await findRecordsOfFewTasks(tx, 'comments', tasks)
  if (ids || updated_since === '') return ids
  return findFewIds((limit) => tx.all(commentIdsUpdatedSince, { updated_since, limit }))
}

function chooseLead(
  { task_id, author_id }: { task_id: string; author_id: string },
  hasIds: boolean,
): CommentLead {
  if (task_id !== '') return 'task'
  if (hasIds) return 'ids'
  return author_id === '' ? 'all' : 'author'
}

export const create: Operation<typeof createComment, LoadedTask> = (tx, task, { body }) =>
  createCommentAs(tx, task, viewerId(tx.actor), body)

/** Writes a comment for another author than the actor. Imports need this. */
export async function createCommentAs(
  tx: WriteTx,
  task: LoadedTask,
  author_id: string,
  { body, parent_id = null }: Static<(typeof createComment)['body']>,
) {
  if (parent_id !== null) await refuseParent(tx, task.id, parent_id)
  assertNotArchived(task)
  const id = tx.newRecordId('cmt')
  const mentions = await resolveMentions(tx, task.project_id, body)
  // The transaction runs these in order; not awaiting each one saves round trips.
  const writes = [
    tx.run(insertComment, {
      id,
      task_id: task.id,
      author_id,
      body,
      parent_id,
      mentions: JSON.stringify(mentions),
      source: recordSourceOf(tx.actor),
      edited_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    }),
    tx.run(writeCommentWords, { id, words: toIndexWords(tx.actor.workspace_id, body) }),
    tx.run(adjustCommentCount, { task_id: task.id, by: 1 }),
  ]
  const [comment] = await Promise.all([loadComment(tx, id), ...writes])
  tx.emit('comment.created', comment.json, { subject_id: task.id, project_id: task.project_id })
  await notifyCommentWatchers(tx, task, { id, author_id }, mentions)
  return comment
}

export const get: Operation<typeof getComment, LoadedComment> = async (_, comment) => comment

export const update: Operation<typeof updateComment, LoadedComment> = async (
  tx,
  comment,
  { body: { body = comment.body } },
) => (body === comment.body ? comment : edit(tx, comment, body))

/** Writes another text. Undoing an edit also takes back when it was made. */
export async function edit(
  tx: WriteTx,
  comment: LoadedComment,
  body: string,
  edited_at?: string | null,
) {
  assertNotArchived(comment)
  const mentions = await resolveMentions(tx, comment.project_id, body)
  const updated_at = nextUpdatedAt(tx, comment.updated_at)
  await tx.run(editComment, {
    id: comment.id,
    body,
    edited_at: edited_at === undefined ? updated_at : edited_at,
    updated_at,
    mentions: JSON.stringify(mentions),
  })
  const words = toIndexWords(tx.actor.workspace_id, body)
  await tx.run(writeCommentWords, { id: comment.id, words })
  const { id, task_id, project_id } = comment
  const updated = await loadComment(tx, id)
  const changes = diffRecords(fromJson(comment.json), fromJson(updated.json))
  tx.emit('comment.updated', updated.json, { subject_id: task_id, project_id, changes })
  await notifyMentionedUsers(tx, { id: task_id, project_id }, id, mentions)
  return updated
}

export const remove: Operation<typeof deleteComment, LoadedComment> = async (
  tx,
  { id, task_id, project_id, archived_at, json },
) => {
  assertNotArchived({ project_id, archived_at })
  const { user_id: deleted_by_id } = tx.actor
  await tx.run(insertDeletedComment, { id, deleted_at: tx.now, deleted_by_id })
  await tx.run(removeComment, { id })
  await tx.run(adjustCommentCount, { task_id, by: -1 })
  tx.emit('comment.deleted', json, { subject_id: task_id, project_id })
  await recordActivity(tx, { task_id, kind: 'comment_deleted' })
  await noteNotificationsOf(tx, [task_id])
}

/** Puts a deleted comment back; one that is not deleted stays as it is. */
export const restore: Operation<
  typeof restoreComment,
  Awaited<ReturnType<typeof loadCommentToRestore>>
> = async (tx, comment) => {
  assertNotArchived(comment)
  if (!('deleted_at' in comment)) return comment
  const { deleted_at: _, project_id, archived_at: __, ...row } = comment
  const { id, task_id } = row
  await tx.run(removeDeletedComment, { id })
  await tx.run(insertComment, { ...row, updated_at: nextUpdatedAt(tx, row.updated_at) })
  const words = toIndexWords(tx.actor.workspace_id, row.body)
  await tx.run(writeCommentWords, { id, words })
  await tx.run(adjustCommentCount, { task_id, by: 1 })
  const restored = await loadComment(tx, id)
  tx.emit('comment.created', restored.json, { subject_id: task_id, project_id })
  await recordActivity(tx, { task_id, kind: 'comment_restored' })
  await noteNotificationsOf(tx, [task_id])
  return restored
}

export const listDeleted: Operation<typeof listDeletedComments> = async (tx, _, { page }) => {
  const order = toListOrder(page, 'deleted_comments.deleted_at')
  const isOwnOnly = !may(tx.actor, 'change_work_of_others')
  const rows = await tx.all(selectDeletedComments({ order, isOwnOnly }), {
    ...toPageWindow(page),
    trash_since: trashSince(tx.nowMs),
  })
  return page.toPage(
    rows.map(({ prefix, number, ...row }) => {
      const task_short_id = `${prefix}-${number}`
      const purged_at = purgeTimeOf(row.deleted_at)
      const json = toJson<DeletedComment>({ ...row, task_short_id, purged_at })
      return { id: row.id, key: row.deleted_at, json }
    }),
  )
}

async function refuseParent(tx: ReadTx, task_id: string, id: string): Promise<void> {
  const parent = await tx.one(parentComment, { task_id, id })
  if (!parent)
    throw validationFailed(
      fieldError('parent_id', 'invalid_reference', 'must be a comment of the same task'),
    )
  if (parent.parent_id !== null) {
    throw validationFailed(fieldError('parent_id', 'too_deep', 'must be a comment, not a reply'))
  }
}
