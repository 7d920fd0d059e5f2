import { type QueryBuilder, query, type Scoped } from '#db/core/statement.ts'
import { openAssignedTasks } from '#db/tasks/open-assigned-tasks.ts'

type MemberParams = Scoped<{ user_id: string }>

/** The open tasks of a member, without those of archived projects. */
const openTasks = (db: QueryBuilder, $: MemberParams) =>
  openAssignedTasks(db, $, $.user_id).where('projects.archived_at', 'is', null)

export const openTasksOfMember = query((db, $: MemberParams & { after: string; limit: number }) =>
  openTasks(db, $)
    .select('tasks.id')
    .where('task_assignees.task_id', '>', $.after)
    .orderBy('task_assignees.task_id')
    .limit($.limit),
)

export const projectsLedByMember = query((db, $: MemberParams & { limit: number }) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('lead_id', '=', $.user_id)
    .orderBy('id')
    .limit($.limit),
)

/** How many tasks there are to hand over, counted in one pass. */
export const memberTaskCounts = query((db, $: MemberParams) =>
  openTasks(db, $).select((task) => [
    task.fn.countAll<number>().as('open_tasks'),
    task.fn.count<number>('tasks.recurrence').as('recurring_tasks'),
  ]),
)

export const countProjectsLed = query((db, $: MemberParams) =>
  db
    .selectFrom('projects')
    .select((project) => project.fn.countAll<number>().as('projects_led'))
    .where('workspace_id', '=', $.workspace_id)
    .where('lead_id', '=', $.user_id),
)
