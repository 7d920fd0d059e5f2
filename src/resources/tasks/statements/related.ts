import { sql } from 'kysely'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { type QueryBuilder, query, type Scoped } from '#db/core/statement.ts'
import { bytesOfRow } from '#db/workspaces/stored-bytes.ts'

type PositionParams = Scoped<{ project_id: string; positions: readonly string[] }>

/** Which of these ranks a task of the project has, deleted or not. */
export const takenPositions = query((db, $: PositionParams, { inList }) =>
  db
    .selectFrom('tasks')
    .select('position')
    .where('project_id', '=', $.project_id)
    .where(inList('position', $.positions)),
)

/** Which of these tasks are undeleted and visible to the actor. */
export const visibleTasksByIds = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .select(['tasks.id', 'tasks.project_id', 'tasks.parent_id', 'tasks.position'])
    .where(inList('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null)
    .where(isProjectVisible($)),
)

/** The bytes that tasks take, which an event of each takes, too. */
export const bytesOfTasks = query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
  db
    .selectFrom('tasks')
    // PostgreSQL's sum() of integers may return a text.
    .select(({ fn, lit, cast }) =>
      cast<number>(fn.coalesce(fn.sum(bytesOfRow('tasks')), lit(0)), 'bigint').as('bytes'),
    )
    .where(inList('id', $.ids)),
)

/** All ancestors of a task, including deleted ones. */
export const ancestors = query((db, $: Scoped<{ id: string }>) =>
  db
    .withRecursive('line(id, parent_id)', (rows) =>
      rows
        .selectFrom('tasks')
        .select(['id', 'parent_id'])
        .where('id', '=', $.id)
        .union(
          rows
            .selectFrom('line')
            .select((is) => [
              'line.parent_id as id',
              // Not a join: without statistics PostgreSQL would read all tasks.
              is
                .selectFrom('tasks')
                .select('tasks.parent_id')
                .whereRef('tasks.id', '=', 'line.parent_id')
                .as('parent_id'),
            ])
            .where('line.parent_id', 'is not', null),
        ),
    )
    .selectFrom('line')
    .select('id')
    .where('id', '<>', $.id),
)

// A cross join keeps SQLite from scanning the workspace's tasks for each task of the walk: without
// statistics it thinks that either order costs the same.

/** The undeleted descendants of a task down to a depth, in no order. */
const descendantRows = (db: QueryBuilder, $: Scoped<{ id: string; max_depth: number }>) =>
  db.withRecursive('line(id, number, created_by_id, depth)', (rows) =>
    rows
      .selectFrom('tasks')
      .select(['id', 'number', 'created_by_id', sql<number>`1`.as('depth')])
      .where('parent_id', '=', $.id)
      .where('deleted_at', 'is', null)
      .unionAll(
        rows
          .selectFrom('line')
          .crossJoin('tasks')
          .select([
            'tasks.id',
            'tasks.number',
            'tasks.created_by_id',
            sql<number>`line.depth + 1`.as('depth'),
          ])
          .whereRef('tasks.parent_id', '=', 'line.id')
          .where('tasks.deleted_at', 'is', null)
          .where('line.depth', '<', $.max_depth),
      ),
  )

/**
 * Undeleted descendants of a task, by depth and number. The walk stops at the limit: with more
 * descendants, which of them are returned is arbitrary.
 */
export const descendants = query(
  (db, $: Scoped<{ id: string; max_depth: number; limit: number }>) =>
    descendantRows(db, $)
      .selectFrom((from) =>
        from
          .selectFrom('line')
          .select(['id', 'number', 'created_by_id', 'depth'])
          .limit($.limit)
          .as('walked'),
      )
      .select(['id', 'created_by_id', 'depth'])
      .orderBy('depth')
      .orderBy('number'),
)

/** One undeleted descendant of a task at exactly this depth; its children have depth 1. */
export const descendantAtDepth = query((db, $: Scoped<{ id: string; max_depth: number }>) =>
  descendantRows(db, $)
    .selectFrom('line')
    .select('id')
    .where('depth', '=', $.max_depth)
    .limit(sql.lit(1)),
)

/** A deleted task and its descendants that the same operation deleted, by depth and number. */
export const tasksDeletedTogether = query((db, $: Scoped<{ id: string; operation_id: string }>) =>
  db
    .withRecursive('line(id, number, created_by_id, depth)', (rows) =>
      rows
        .selectFrom('tasks')
        .select(['id', 'number', 'created_by_id', sql<number>`0`.as('depth')])
        .where('id', '=', $.id)
        .unionAll(
          rows
            .selectFrom('line')
            .crossJoin('tasks')
            .select([
              'tasks.id',
              'tasks.number',
              'tasks.created_by_id',
              sql<number>`line.depth + 1`.as('depth'),
            ])
            .whereRef('tasks.parent_id', '=', 'line.id')
            .where('tasks.deleted_by_operation_id', '=', $.operation_id),
        ),
    )
    .selectFrom('line')
    .select(['id', 'created_by_id', 'depth'])
    .orderBy('depth')
    .orderBy('number'),
)

type TagParams = Scoped<{ project_id: string; ids: readonly string[] }>

/** Which of these tags belong to the project. */
export const projectTagsByIds = query((db, $: TagParams, { inList }) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('project_id', '=', $.project_id)
    .where(inList('tags.id', $.ids)),
)

/** The tags of a project that have the names of these tags of other projects. */
export const tagsWithSameNames = query((db, $: TagParams, { inList }) =>
  db
    .selectFrom('tags as there')
    .innerJoin('tags', 'tags.name_key', 'there.name_key')
    .select(['tags.id as former_id', 'there.id'])
    .where('there.project_id', '=', $.project_id)
    .where(inList('tags.id', $.ids)),
)
