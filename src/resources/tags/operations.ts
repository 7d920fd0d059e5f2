import { viewerId } from '#core/actor.ts'
import { conflict, notFound } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { keepInTrash, removeTrash, trashOf } from '#db/operations/trash.ts'
import { batchesOf } from '#lib/batches.ts'
import { foldCase } from '#lib/fold-case.ts'
import { fromJson } from '#lib/json.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { assertNotArchived, type loadProject } from '#resources/projects/load.ts'
import { DEFAULT_COLOR } from '#wire/schema-builders.ts'
import type { createTag, deleteTag, getTag, listProjectTags, Tag, updateTag } from './contract.ts'
import { loadProjectToTag, loadTag } from './load.ts'
import {
  addTagLink,
  addTagToTaskLists,
  addToTaskCount,
  changeTag,
  countTags,
  insertTag,
  removeTag,
  removeTagFromTaskLists,
  removeTagLinks,
  tagByName,
  tagsOfProject,
  taskIdsWithTag,
  tasksToTag,
  tasksWithTag,
} from './store.ts'

export const MAX_TAGS = 500

type LoadResult<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>
export type LoadedTag = LoadResult<typeof loadTag>
type TagProject = LoadResult<typeof loadProject>

export const list: Operation<typeof listProjectTags, TagProject> = async (
  tx,
  project,
  { query, page },
) => {
  const order = toListOrder(page, page.sort === 'name' ? 'tags.name_key' : null)
  const words = extractSearchWords(query.q ?? '')
  const queryShape = { order, words: query.q !== undefined }
  const window = toPageWindow(page)
  return page.toPage(
    await tx.all(tagsOfProject(queryShape), { ...window, words, project_id: project.id }),
  )
}

export const create: Operation<typeof createTag, TagProject> = async (tx, project, { body }) => {
  assertNotArchived({ ...project, project_id: project.id })
  const { name, color = DEFAULT_COLOR } = body
  await assertNameFree(tx, project.id, name)
  await assertBelowLimit(tx, project.id)
  const id = tx.newRecordId('tag')
  await tx.run(insertTag, {
    id,
    project_id: project.id,
    ...nameColumns(name),
    color,
    task_count: 0,
    created_by_id: viewerId(tx.actor),
    created_at: tx.now,
    updated_at: tx.now,
  })
  const tag = await loadTag(tx, id)
  tx.emit('tag.created', tag.json, aboutTagOf(project.id))
  return tag
}

export const get: Operation<typeof getTag, LoadedTag> = async (_, tag) => tag

export const update: Operation<typeof updateTag, LoadedTag> = async (tx, tag, { body }) => {
  assertNotArchived(tag)
  const { name = tag.name, color = tag.color } = body
  if (name === tag.name && color === tag.color) return tag
  await assertNameFree(tx, tag.project_id, name, tag.id)
  const updated_at = nextUpdatedAt(tx, tag.updated_at)
  await tx.run(changeTag, { id: tag.id, ...nameColumns(name), color, updated_at })
  const updated = await loadTag(tx, tag.id)
  const changes = diffRecords(fromJson(tag.json), fromJson(updated.json))
  tx.emit('tag.updated', updated.json, { ...aboutTagOf(tag.project_id), changes })
  return updated
}

export const remove: Operation<typeof deleteTag, LoadedTag> = async (tx, tag) => {
  assertNotArchived(tag)
  const task_ids = await removeTagFromTasks(tx, tag.id)
  await keepTag(tx, tag, { task_ids })
  await tx.run(removeTag, { id: tag.id })
  tx.emit('tag.deleted', tag.json, aboutTagOf(tag.project_id))
}

/** What a deletion or a merge has done to the tasks of a tag. */
interface RemovedTag {
  task_ids: readonly string[]
  /** The tag that those tasks have got instead, unless they had it. */
  into_id?: string
  gained_ids?: readonly string[]
}

/** Keeps a tag in the trash, with its tasks. */
export const keepTag = (tx: WriteTx, { id, json }: LoadedTag, { task_ids, ...merge }: RemovedTag) =>
  keepInTrash(tx, {
    type: 'tag',
    id,
    record: JSON.stringify({ tag: fromJson(json), ...merge }),
    task_ids,
  })

/**
 * Puts a tag back that an operation has deleted or merged, on those of its tasks that are still in the project. Like
 * the deletion it gives the tasks neither an event nor a new version.
 */
export async function restoreTag(tx: WriteTx, operation_id: string, id: string): Promise<void> {
  const trashed = await tx.one(trashOf, { operation_id, id })
  if (!trashed) throw notFound()
  const { tag, into_id, gained_ids = [] }: { tag: Tag } & RemovedTag = JSON.parse(trashed.record)
  const { project_id } = tag
  const project = await loadProjectToTag(tx, project_id)
  assertNotArchived({ ...project, project_id })
  await assertNameFree(tx, project_id, tag.name)
  await assertBelowLimit(tx, project_id)
  await tx.run(removeTrash, { operation_id, id })
  const updated_at = nextUpdatedAt(tx, tag.updated_at)
  await tx.run(insertTag, { ...tag, ...nameColumns(tag.name), task_count: 0, updated_at })
  for (const some of batchesOf<string>(JSON.parse(trashed.task_ids), TASKS_PER_STATEMENT)) {
    const tasks = await tx.all(tasksToTag, { project_id, task_ids: some })
    const task_ids = tasks.map((task) => task.id)
    await tx.run(addTagToTaskLists, { id, task_ids })
    await tx.runEach(
      addTagLink,
      task_ids.map((task_id) => ({ task_id, tag_id: id })),
    )
    await tx.run(addToTaskCount, {
      id,
      by: tasks.filter((task) => task.deleted_at === null).length,
    })
  }
  if (into_id !== undefined) await takeTagFrom(tx, into_id, gained_ids)
  const restored = await loadTag(tx, id)
  tx.emit('tag.created', restored.json, aboutTagOf(project_id))
}

/** Takes a tag from those of some tasks that still have it. */
async function takeTagFrom(tx: WriteTx, id: string, ids: readonly string[]): Promise<void> {
  for (const some of batchesOf(ids, TASKS_PER_STATEMENT)) {
    const tasks = await tx.all(tasksWithTag, { id, task_ids: some })
    const task_ids = tasks.map((task) => task.id)
    await tx.run(removeTagFromTaskLists, { id, task_ids })
    await tx.run(removeTagLinks, { id, task_ids })
    const by = -tasks.filter((task) => task.deleted_at === null).length
    await tx.run(addToTaskCount, { id, by })
  }
}

/** Deliveries of events about tags keep their order with those about their project. */
const aboutTagOf = (project_id: string) => ({ subject_id: project_id, project_id })

/** A tag may be on all tasks of the project, and one statement holds the event loop on SQLite. */
export const TASKS_PER_STATEMENT = 500

async function removeTagFromTasks(tx: WriteTx, id: string): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const tasks = await tx.all(taskIdsWithTag, { id, limit: TASKS_PER_STATEMENT })
    const task_ids = tasks.map(({ task_id }) => task_id)
    all.push(...task_ids)
    if (task_ids.length === 0) return all
    await Promise.all([
      tx.run(removeTagFromTaskLists, { id, task_ids }),
      tx.run(removeTagLinks, { id, task_ids }),
    ])
    if (task_ids.length < TASKS_PER_STATEMENT) return all
  }
}

const nameColumns = (name: string) => ({
  name,
  name_key: foldCase(name),
  name_words: ` ${extractSearchWords(name).join(' ')}`,
})

async function assertBelowLimit(tx: ReadTx, project_id: string): Promise<void> {
  const { count } = (await tx.one(countTags, { project_id })) ?? { count: 0 }
  if (count < MAX_TAGS) return
  const message = `A project can have at most ${MAX_TAGS} tags. Delete one first.`
  throw conflict('limit_reached', message)
}

async function assertNameFree(tx: ReadTx, project_id: string, name: string, except = '') {
  const existing = await tx.one(tagByName, { project_id, name_key: foldCase(name) })
  if (!existing || existing.id === except) return
  const message = 'The project already has a tag with this name.'
  const detail = { field: 'name', code: 'tag_exists', message, resource_id: existing.id }
  throw conflict('tag_exists', message, [detail])
}
