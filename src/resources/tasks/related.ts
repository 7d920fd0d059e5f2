import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import { query, type Scoped } from '#storage/statement.ts'

/** Which of some tasks the actor sees, undeleted. */
export const tasksAmong = query((db, $: Scoped<{ ids: readonly string[] }>, { among }) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select(['tasks.id', 'tasks.project_id', 'tasks.position'])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where(among('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null)
    .where(visible($)),
)

/** The tasks above a task, up to the topmost; deleted ones count. */
export const ancestors = query((db, $: Scoped<{ id: string }>) =>
  db
    .withRecursive('line(id, parent_id)', (rows) =>
      rows
        .selectFrom('tasks')
        .select(['id', 'parent_id'])
        .where('workspace_id', '=', $.workspace_id)
        .where('id', '=', $.id)
        .union(
          rows
            .selectFrom('line')
            .select((is) => [
              'line.parent_id as id',
              // Not as a join: where it knows no figures PostgreSQL would read all tasks for it.
              is
                .selectFrom('tasks')
                .select('tasks.parent_id')
                .where('tasks.workspace_id', '=', $.workspace_id)
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

/** The undeleted tasks below a task, by depth and number. */
export const descendants = query((db, $: Scoped<{ id: string }>) =>
  db
    .withRecursive('line(id, number, depth)', (rows) =>
      rows
        .selectFrom('tasks')
        .select(['id', 'number', sql<number>`1`.as('depth')])
        .where('workspace_id', '=', $.workspace_id)
        .where('parent_id', '=', $.id)
        .where('deleted_at', 'is', null)
        .unionAll(
          rows
            .selectFrom('tasks')
            .innerJoin('line', 'line.id', 'tasks.parent_id')
            .select(['tasks.id', 'tasks.number', sql<number>`line.depth + 1`.as('depth')])
            .where('tasks.workspace_id', '=', $.workspace_id)
            .where('tasks.deleted_at', 'is', null),
        ),
    )
    .selectFrom('line')
    .select(['id', 'depth'])
    .orderBy('depth')
    .orderBy('number'),
)

/** A deleted task and the tasks below it that the same operation deleted, by depth and number. */
export const deletedTogether = query((db, $: Scoped<{ id: string; operation_id: string }>) =>
  db
    .withRecursive('line(id, number, depth)', (rows) =>
      rows
        .selectFrom('tasks')
        .select(['id', 'number', sql<number>`0`.as('depth')])
        .where('workspace_id', '=', $.workspace_id)
        .where('id', '=', $.id)
        .unionAll(
          rows
            .selectFrom('tasks')
            .innerJoin('line', 'line.id', 'tasks.parent_id')
            .select(['tasks.id', 'tasks.number', sql<number>`line.depth + 1`.as('depth')])
            .where('tasks.workspace_id', '=', $.workspace_id)
            .where('tasks.deleted_by_operation_id', '=', $.operation_id),
        ),
    )
    .selectFrom('line')
    .select(['id', 'depth'])
    .orderBy('depth')
    .orderBy('number'),
)

/** Which of some persons are active members. */
export const membersAmong = query((db, $: Scoped<{ ids: readonly string[] }>, { among }) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .where(among('user_id', $.ids))
    .where('removed_at', 'is', null),
)

type Tags = Scoped<{ project_id: string; ids: readonly string[] }>

/** Which of some tags are of a project. */
export const tagsAmong = query((db, $: Tags, { among }) =>
  db
    .selectFrom('tags')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('project_id', '=', $.project_id)
    .where(among('tags.id', $.ids)),
)

/** The tags of a project whose names are those of some tags elsewhere. */
export const tagsOfSameNames = query((db, $: Tags, { among }) =>
  db
    .selectFrom('tags as there')
    .innerJoin('tags', (join) =>
      join
        .onRef('tags.workspace_id', '=', 'there.workspace_id')
        .onRef('tags.name_key', '=', 'there.name_key'),
    )
    .select('there.id')
    .where('there.workspace_id', '=', $.workspace_id)
    .where('there.project_id', '=', $.project_id)
    .where(among('tags.id', $.ids)),
)
