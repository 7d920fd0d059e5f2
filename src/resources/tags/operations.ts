import { viewerId } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { foldCase } from '#lib/fold-case.ts'
import { fromJson } from '#lib/json.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { assertNotArchived, type loadProject } from '#resources/projects/load.ts'
import { DEFAULT_COLOR } from '#wire/schema-builders.ts'
import type { createTag, deleteTag, getTag, listProjectTags, updateTag } from './contract.ts'
import { loadTag } from './load.ts'
import {
  changeTag,
  countTags,
  insertTag,
  removeTag,
  removeTagFromTaskLists,
  removeTagLinks,
  tagByName,
  tagsOfProject,
  taskIdsWithTag,
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
  const { count } = (await tx.one(countTags, { project_id: project.id })) ?? { count: 0 }
  if (count >= MAX_TAGS)
    throw conflict(
      'limit_reached',
      `A project can have at most ${MAX_TAGS} tags. Delete one first.`,
    )
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
  await removeTagFromTasks(tx, tag.id)
  await tx.run(removeTag, { id: tag.id })
  tx.emit('tag.deleted', tag.json, aboutTagOf(tag.project_id))
}

/** Deliveries of events about tags keep their order with those about their project. */
const aboutTagOf = (project_id: string) => ({ subject_id: project_id, project_id })

/** A tag may be on all tasks of the project, and one statement holds the event loop on SQLite. */
export const TASKS_PER_STATEMENT = 500

async function removeTagFromTasks(tx: WriteTx, id: string): Promise<void> {
  for (;;) {
    const tasks = await tx.all(taskIdsWithTag, { id, limit: TASKS_PER_STATEMENT })
    const task_ids = tasks.map(({ task_id }) => task_id)
    if (task_ids.length === 0) return
    await Promise.all([
      tx.run(removeTagFromTaskLists, { id, task_ids }),
      tx.run(removeTagLinks, { id, task_ids }),
    ])
    if (task_ids.length < TASKS_PER_STATEMENT) return
  }
}

const nameColumns = (name: string) => ({
  name,
  name_key: foldCase(name),
  name_words: ` ${extractSearchWords(name).join(' ')}`,
})

async function assertNameFree(tx: ReadTx, project_id: string, name: string, except = '') {
  const existing = await tx.one(tagByName, { project_id, name_key: foldCase(name) })
  if (!existing || existing.id === except) return
  const message = 'The project already has a tag with this name.'
  const detail = { field: 'name', code: 'tag_exists', message, resource_id: existing.id }
  throw conflict('tag_exists', message, [detail])
}
