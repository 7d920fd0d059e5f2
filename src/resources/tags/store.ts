import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect } from '#storage/dialect.ts'
import { type Order, paged, type Window } from '#storage/paged.ts'
import { command, query, row, type Scoped, shaped } from '#storage/statement.ts'
import type { TagRow } from '#storage/tables.ts'
import type { Tag } from './contract.ts'

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

/** A tag as it is shown: the one place that says so. */
const shown = ({ json }: Dialect) =>
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
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tags.workspace_id')
        .onRef('projects.id', '=', 'tags.project_id'),
    )
    .select([
      'tags.id',
      'tags.project_id',
      'tags.name',
      'tags.color',
      'tags.updated_at',
      'tags.updated_at as revision',
      'projects.archived_at',
      shown(dialect).as('json'),
    ])
    .where('tags.workspace_id', '=', $.workspace_id)
    .where('tags.id', '=', $.id)
    .where(visible($)),
)

/** The tags of a project that the actor is known to see. */
export const tagsOfProject = shaped(({ order, words }: { order: Order; words: boolean }) =>
  query((db, $: Scoped<Window & { project_id: string; words: string[] }>, dialect) => {
    const key = order.column ?? 'tags.id'
    const found = db
      .selectFrom('tags')
      .select(['id', sql.ref<string>(key).as('key'), shown(dialect).as('json')])
      .where('workspace_id', '=', $.workspace_id)
      .where('project_id', '=', $.project_id)
    const filtered = words ? found.where(dialect.holdsWords('tags.name_words', $.words)) : found
    return paged(filtered, $, 'tags.id', order)
  }),
)

/** The tag of a project that has this name, whatever its case. */
export const tagOfName = query((db, $: Scoped<{ project_id: string; name_key: string }>) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where('name_key', '=', $.name_key),
)

export const countTags = query((db, $: Scoped<{ project_id: string }>) =>
  db
    .selectFrom('tags')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id),
)

export const insertTag = command((db, $: Scoped<TagRow>) =>
  db.insertInto('tags').values(row($, 'workspace_id', 'name_key', 'name_words', ...COLUMNS)),
)

type Changed = Scoped<
  Pick<TagRow, 'id' | 'name' | 'name_key' | 'name_words' | 'color' | 'updated_at'>
>

export const changeTag = command((db, $: Changed) =>
  db
    .updateTable('tags')
    .set(row($, 'name', 'name_key', 'name_words', 'color', 'updated_at'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Takes a tag off the lists that the tasks bearing it show. */
export const stripTag = command((db, $: Scoped<{ id: string }>, { engine }) => {
  const rest =
    engine === 'sqlite'
      ? sql<string>`(select json_group_array(value) from json_each(tasks.tag_ids) where value <> ${$.id})`
      : sql<string>`coalesce((select '["' || string_agg(value, '","' order by value) || '"]'
          from json_array_elements_text(tasks.tag_ids::json) as e (value) where value <> ${$.id}), '[]')`
  return db
    .updateTable('tasks')
    .set({ tag_ids: rest })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', 'in', (is) =>
      is
        .selectFrom('task_tags')
        .select('task_id')
        .where('workspace_id', '=', $.workspace_id)
        .where('tag_id', '=', $.id),
    )
})

export const removeTagged = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('task_tags').where('workspace_id', '=', $.workspace_id).where('tag_id', '=', $.id),
)

export const removeTag = command((db, $: Scoped<{ id: string }>) =>
  db.deleteFrom('tags').where('workspace_id', '=', $.workspace_id).where('id', '=', $.id),
)
