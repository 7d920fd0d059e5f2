import { sql } from 'kysely'
import { visible } from '#resources/projects/visible.ts'
import type { Dialect, Source } from '#storage/dialect.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Task } from './fields.ts'

/**
 * A task as it is shown: the one place that says so. Lists and counts of what belongs to it lie in
 * its own row, so that a page of tasks is one walk along an index. Needs projects joined.
 */
export const shown = ({ json }: Dialect, $: Scoped) => json<Task>('tasks', fieldsOf($), KEPT)

/** SQLite keeps the rest of the record made (migration 0001): a test holds it against these fields. */
const KEPT = { from: 'title', column: 'shown' } as const

/** Each field, and how it is made of the row. */
export const fieldsOf = ($: Scoped) =>
  ({
    id: 'word',
    project_id: 'word',
    number: 'whole',
    short_id: { word: sql`projects.prefix || '-' || tasks.number` },
    url: {
      word: sql`${$.base_url} || '/w/' || tasks.workspace_id || '/t/' || projects.prefix || '-' || tasks.number`,
    },
    title: 'plain',
    description: 'plain',
    status: 'word',
    status_category: 'word',
    completed_at: 'plain',
    completed_by_id: 'plain',
    canceled_at: 'plain',
    priority: 'word',
    assignee_ids: 'json',
    tag_ids: 'json',
    start_date: 'plain',
    due_date: 'plain',
    due_at: 'plain',
    parent_id: 'plain',
    position: 'word',
    estimate_seconds: 'plain',
    time_spent_seconds: 'whole',
    blocked_by_ids: 'json',
    blocking_ids: 'json',
    recurrence: 'json',
    recurred_from_id: 'plain',
    custom_fields: 'json',
    external_source: 'plain',
    external_id: 'plain',
    metadata: 'json',
    comment_count: 'whole',
    attachment_count: 'whole',
    subtask_count: 'whole',
    completed_subtask_count: 'whole',
    version: 'whole',
    created_by_id: 'word',
    created_at: 'word',
    updated_at: 'word',
    deleted_at: 'plain',
  }) satisfies { [F in keyof Task]: Source }

/** A task, deleted or not, in a project that the actor sees. */
export const taskById = query((db, $: Scoped<{ id: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select([
      'tasks.id',
      'tasks.version as revision',
      'tasks.project_id',
      'tasks.deleted_at',
      'tasks.deleted_by_operation_id',
      'tasks.created_by_id',
      'projects.archived_at',
      'projects.statuses',
      shown(dialect, $).as('json'),
    ])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where('tasks.id', '=', $.id)
    .where(visible($)),
)

/** Some tasks that the actor sees, without deleted ones. */
export const liveTasks = query((db, $: Scoped<{ ids: readonly string[] }>, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select(shown(dialect, $).as('json'))
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where(dialect.among('tasks.id', $.ids))
    .where('tasks.deleted_at', 'is', null)
    .where(visible($)),
)

/** The task that has a number in the project of a prefix now. */
export const idOfNumber = query((db, $: Scoped<{ prefix: string; number: number }>) =>
  db
    .selectFrom('project_prefixes')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'project_prefixes.workspace_id')
        .onRef('tasks.project_id', '=', 'project_prefixes.project_id'),
    )
    .select('tasks.id')
    .where('project_prefixes.workspace_id', '=', $.workspace_id)
    .where('prefix', '=', $.prefix)
    .where('tasks.number', '=', $.number),
)

/** The task that had the number before it moved to another project. */
export const idOfFormerNumber = query((db, $: Scoped<{ prefix: string; number: number }>) =>
  db
    .selectFrom('project_prefixes')
    .innerJoin('task_numbers', (join) =>
      join
        .onRef('task_numbers.workspace_id', '=', 'project_prefixes.workspace_id')
        .onRef('task_numbers.project_id', '=', 'project_prefixes.project_id'),
    )
    .select('task_numbers.task_id as id')
    .where('project_prefixes.workspace_id', '=', $.workspace_id)
    .where('prefix', '=', $.prefix)
    .where('task_numbers.number', '=', $.number),
)
