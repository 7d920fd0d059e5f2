import { later } from '#core/later.ts'
import { conflict } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { fold } from '#lib/fold.ts'
import { newId } from '#lib/id.ts'
import { wordsOf } from '#lib/words.ts'
import { type loadProject, refuseArchived } from '#resources/projects/load.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { createTag, deleteTag, getTag, listTags, updateTag } from './contract.ts'
import { loadTag } from './load.ts'
import {
  changeTag,
  countTags,
  insertTag,
  removeTag,
  removeTagged,
  stripTag,
  tagOfName,
  tagsOfProject,
} from './store.ts'

const DEFAULT_COLOR = '#6b7280'
const MOST_TAGS = 500

type Loaded<F extends (...given: never[]) => unknown> = Awaited<ReturnType<F>>
type TagSubject = Loaded<typeof loadTag>
type ProjectSubject = Loaded<typeof loadProject>

export const list: Operation<typeof listTags, ProjectSubject> = async (
  tx,
  project,
  { query, page },
) => {
  const order = orderOf(page, page.sort === 'name' ? 'tags.name_key' : null)
  const words = wordsOf(query.q ?? '')
  const shape = { order, words: query.q !== undefined }
  const window = windowOf(page)
  return page.cut(await tx.all(tagsOfProject(shape), { ...window, words, project_id: project.id }))
}

export const create: Operation<typeof createTag, ProjectSubject> = async (
  tx,
  project,
  { body },
) => {
  refuseArchived(project)
  const { name, color = DEFAULT_COLOR } = body
  await refuseTaken(tx, project.id, name)
  const { count } = (await tx.one(countTags, { project_id: project.id })) ?? { count: 0 }
  if (count >= MOST_TAGS)
    throw conflict('limit_reached', `A project has at most ${MOST_TAGS} tags.`)
  const id = newId('tag', tx.instant)
  await tx.run(insertTag, {
    id,
    project_id: project.id,
    ...named(name),
    color,
    task_count: 0,
    created_by_id: tx.actor.user_id ?? '',
    created_at: tx.now,
    updated_at: tx.now,
  })
  const { id: project_id } = project
  tx.note({ noun: 'tag', id, op: 'create', project_id, revision: tx.now })
  return loadTag(tx, id)
}

export const get: Operation<typeof getTag, TagSubject> = async (_, tag) => tag

export const update: Operation<typeof updateTag, TagSubject> = async (tx, tag, { body }) => {
  refuseArchived(tag)
  const { name = tag.name, color = tag.color } = body
  if (name === tag.name && color === tag.color) return tag
  await refuseTaken(tx, tag.project_id, name, tag.id)
  const updated_at = later(tx, tag.updated_at)
  await tx.run(changeTag, { id: tag.id, ...named(name), color, updated_at })
  const { id, project_id } = tag
  tx.note({ noun: 'tag', id, op: 'update', project_id, revision: updated_at })
  return loadTag(tx, tag.id)
}

export const remove: Operation<typeof deleteTag, TagSubject> = async (tx, tag) => {
  refuseArchived(tag)
  await tx.run(stripTag, { id: tag.id })
  await tx.run(removeTagged, { id: tag.id })
  await tx.run(removeTag, { id: tag.id })
  tx.note({ noun: 'tag', id: tag.id, op: 'delete', project_id: tag.project_id })
}

const named = (name: string) => ({
  name,
  name_key: fold(name),
  name_words: ` ${wordsOf(name).join(' ')}`,
})

async function refuseTaken(tx: ReadTx, project_id: string, name: string, except = '') {
  const taken = await tx.one(tagOfName, { project_id, name_key: fold(name) })
  if (!taken || taken.id === except) return
  const message = 'The project has a tag of this name already.'
  const detail = { field: 'name', code: 'tag_exists', message, resource_id: taken.id }
  throw conflict('tag_exists', message, [detail])
}
