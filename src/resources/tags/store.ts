import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import type { Dialect } from '#db/core/dialect.ts'
import { type ListOrder, type PageWindow, paginate } from '#db/core/pagination.ts'
import {
  command,
  insertRow,
  memoizeByShape,
  pickSlots,
  query,
  type Scoped,
} from '#db/core/statement.ts'
import type { TagRow } from '#db/schema/tables.ts'
import { MAX_TASK_TAGS, type Tag } from './contract.ts'

const COLUMNS = [
  'id',
  'project_id',
  'name',
  'color',
  'task_count',
  'created_by_id',
  'created_at',
  'updated_at',
] as const

/** The JSON of a tag. */
export const tagJson = ({ json }: Dialect) =>
  json<Tag>('tags', {
    id: 'plain',
    project_id: 'plain',
    name: 'plain',
    color: 'plain',
    task_count: 'plain',
    created_by_id: 'plain',
    created_at: 'plain',
    updated_at: 'plain',
  })

/** A tag in a project that the actor sees. */
export const tagById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('tags')
    .innerJoin('projects', 'projects.id', 'tags.project_id')
    .select([
      'tags.id',
      'tags.project_id',
      'tags.name',
      'tags.color',
      'tags.updated_at',
      'tags.updated_at as revision',
      'projects.archived_at',
      tagJson(dialect).as('json'),
    ])
    .where('tags.id', '=', $.id)
    .where(isProjectVisible($)),
)

/** The tags of a project; the caller has checked that the actor sees it. */
export const tagsOfProject = memoizeByShape(
  ({ order, words }: { order: ListOrder; words: boolean }) =>
    query((db, $: Scoped<PageWindow & { project_id: string; words: string[] }>, dialect) => {
      const key = order.column ?? 'tags.id'
      const rows = db
        .selectFrom('tags')
        .select(['id', sql.ref<string>(key).as('key'), tagJson(dialect).as('json')])
        .where('project_id', '=', $.project_id)
      const filtered = words ? rows.where(dialect.hasAllWords('tags.name_words', $.words)) : rows
      return paginate(filtered, $, 'tags.id', order)
    }),
)

/** The tag of a project with this name, ignoring case. */
export const tagByName = query((db, $: Scoped<{ project_id: string; name_key: string }>) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('project_id', '=', $.project_id)
    .where('name_key', '=', $.name_key),
)

export const countTags = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('tags')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.project_id),
)

export const insertTag = insertRow('tags', 'name_key', 'name_words', ...COLUMNS)

type TagChangeParams = Scoped<
  Pick<TagRow, 'id' | 'name' | 'name_key' | 'name_words' | 'color' | 'updated_at'>
>

export const changeTag = command((db, $: TagChangeParams) =>
  db
    .updateTable('tags')
    .set(pickSlots($, 'name', 'name_key', 'name_words', 'color', 'updated_at'))
    .where('id', '=', $.id),
)

/** Some tasks that have a tag. */
export const taskIdsWithTag = query((db, $: Scoped<{ id: string; limit: number }>) =>
  db
    .selectFrom('task_tags')
    .select('task_id')
    .where('tag_id', '=', $.id)
    .orderBy('task_id')
    .limit($.limit),
)

type TaggedTasksParams = Scoped<{ id: string; task_ids: readonly string[] }>

/** Removes a tag from the stored `tag_ids` lists of some tasks. */
export const removeTagFromTaskLists = command((db, $: TaggedTasksParams, { engine, inList }) => {
  const remainingIds =
    engine === 'sqlite'
      ? sql<string>`(select json_group_array(value) from json_each(tasks.tag_ids) where value <> ${$.id})`
      : sql<string>`coalesce((select '["' || string_agg(value, '","' order by value) || '"]'
          from json_array_elements_text(tasks.tag_ids::json) as e (value) where value <> ${$.id}), '[]')`
  return db
    .updateTable('tasks')
    .set({ tag_ids: remainingIds })
    .where(inList('tasks.id', $.task_ids))
})

/** Adds a tag to the stored `tag_ids` lists of some tasks that lack it, whose order is kept. */
export const addTagToTaskLists = command((db, $: TaggedTasksParams, { engine, inList }) => {
  const list =
    engine === 'sqlite'
      ? sql<string>`(select json_group_array(value) from (
          select value from json_each(tasks.tag_ids) union select ${$.id} order by value))`
      : sql<string>`(select '["' || string_agg(value, '","' order by value) || '"]' from (
          select value from json_array_elements_text(tasks.tag_ids::json) as e (value)
          union select ${$.id}) as u)`
  return db.updateTable('tasks').set({ tag_ids: list }).where(inList('tasks.id', $.task_ids))
})

/** Those of some tasks that are in a project, deleted ones too, and have room for another tag. */
export const tasksToTag = query(
  (db, $: Scoped<{ project_id: string; task_ids: readonly string[] }>, { engine, inList }) => {
    const count =
      engine === 'sqlite'
        ? sql<number>`json_array_length(tasks.tag_ids)`
        : sql<number>`json_array_length(tasks.tag_ids::json)`
    return db
      .selectFrom('tasks')
      .select(['id', 'deleted_at'])
      .where(inList('tasks.id', $.task_ids))
      .where('project_id', '=', $.project_id)
      .where(count, '<', MAX_TASK_TAGS)
  },
)

/** Those of some tasks that have a tag, deleted ones too. */
export const tasksWithTag = query((db, $: TaggedTasksParams, { inList }) =>
  db
    .selectFrom('task_tags')
    .innerJoin('tasks', 'tasks.id', 'task_tags.task_id')
    .select(['tasks.id', 'tasks.deleted_at'])
    .where('task_tags.tag_id', '=', $.id)
    .where(inList('task_tags.task_id', $.task_ids)),
)

export const addTagLink = insertRow('task_tags', 'tag_id', 'task_id')

export const removeTagLinks = command((db, $: TaggedTasksParams, { inList }) =>
  db.deleteFrom('task_tags').where('tag_id', '=', $.id).where(inList('task_id', $.task_ids)),
)

type TagMergeParams = Scoped<{ id: string; into_id: string; task_ids: readonly string[] }>

/** Replaces a tag in the stored `tag_ids` lists of some tasks, whose order is kept. */
export const replaceTagInTaskLists = command((db, $: TagMergeParams, { engine, inList }) => {
  const rest =
    engine === 'sqlite'
      ? sql`select value from json_each(tasks.tag_ids)`
      : sql`select value from json_array_elements_text(tasks.tag_ids::json) as e (value)`
  const ids = sql`${rest} where value <> ${$.id} union select ${$.into_id} as value`
  const list =
    engine === 'sqlite'
      ? sql<string>`(select json_group_array(value) from (${ids} order by value))`
      : sql<string>`(select '["' || string_agg(value, '","' order by value) || '"]' from (${ids}) as u)`
  return db.updateTable('tasks').set({ tag_ids: list }).where(inList('tasks.id', $.task_ids))
})

const hasOtherTag = ($: Scoped<{ into_id: string }>, column: 'tasks.id' | 'task_tags.task_id') =>
  sql<boolean>`exists (select 1 from task_tags as other where other.workspace_id = ${$.workspace_id}
    and other.tag_id = ${$.into_id} and other.task_id = ${sql.ref(column)})`

/** Gives some tasks that have a tag another one, unless they have it already. */
export const copyTagLinks = command((db, $: TagMergeParams, { inList }) =>
  db
    .insertInto('task_tags')
    .columns(['workspace_id', 'tag_id', 'task_id'])
    .expression((is) =>
      is
        .selectFrom('task_tags')
        .select(['workspace_id', sql<string>`${$.into_id}`.as('tag_id'), 'task_id'])
        .where('tag_id', '=', $.id)
        .where(inList('task_tags.task_id', $.task_ids))
        .where(is.not(hasOtherTag($, 'task_tags.task_id'))),
    ),
)

/** Those of some tasks that lack a tag, deleted ones too. */
export const tasksWithoutTag = query(
  (db, $: Scoped<{ into_id: string; task_ids: readonly string[] }>, { inList }) =>
    db
      .selectFrom('tasks')
      .select(['id', 'deleted_at'])
      .where(inList('tasks.id', $.task_ids))
      .where((is) => is.not(hasOtherTag($, 'tasks.id'))),
)

/** Adjusts `task_count`. The field is derived, so the tag keeps its `updated_at`. */
export const addToTaskCount = command((db, $: Scoped<{ id: string; by: number }>) =>
  db
    .updateTable('tags')
    .set((tag) => ({ task_count: tag('task_count', '+', $.by) }))
    .where('id', '=', $.id),
)

export const removeTag = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('tags').where('id', '=', $.id),
)
