import { query, type Reader, type Scoped } from '#storage/statement.ts'

type OfPerson = Scoped<{ user_id: string }>

/** Open tasks of a person in projects that are not archived; deleted ones are nobody's work. */
const openOf = (db: Reader, $: OfPerson) =>
  db
    .selectFrom('task_assignees')
    .innerJoin('tasks', (join) =>
      join
        .onRef('tasks.workspace_id', '=', 'task_assignees.workspace_id')
        .onRef('tasks.id', '=', 'task_assignees.task_id'),
    )
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .where('task_assignees.workspace_id', '=', $.workspace_id)
    .where('task_assignees.user_id', '=', $.user_id)
    .where('tasks.deleted_at', 'is', null)
    .where('tasks.status_category', 'in', ['backlog', 'unstarted', 'started'])
    .where('projects.archived_at', 'is', null)

export const openTasksOf = query((db, $: OfPerson & { after: string; limit: number }) =>
  openOf(db, $)
    .select('tasks.id')
    .where('task_assignees.task_id', '>', $.after)
    .orderBy('task_assignees.task_id')
    .limit($.limit),
)

export const projectsLedBy = query((db, $: OfPerson & { limit: number }) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('lead_id', '=', $.user_id)
    .orderBy('id')
    .limit($.limit),
)

/** How much there is to hand over. */
export const workOf = query((db, $: OfPerson) =>
  db.selectNoFrom((is) => [
    openOf(db, $)
      .select((task) => task.fn.countAll<number>().as('n'))
      .as('open_tasks'),
    openOf(db, $)
      .select((task) => task.fn.countAll<number>().as('n'))
      .where('tasks.recurrence', 'is not', null)
      .as('recurring_tasks'),
    is
      .selectFrom('projects')
      .select((project) => project.fn.countAll<number>().as('n'))
      .where('workspace_id', '=', $.workspace_id)
      .where('lead_id', '=', $.user_id)
      .as('projects_led'),
  ]),
)
