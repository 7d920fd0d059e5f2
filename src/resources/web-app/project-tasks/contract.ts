import { Type } from 'typebox'
import { Tag } from '#resources/tags/contract.ts'
import { TASK_FILTERS } from '#resources/tasks/contract.ts'
import { pickFields, Task } from '#resources/tasks/fields.ts'
import { endpoint } from '#wire/endpoint.ts'
import { Id, Integer, List, type Static, StrictObject } from '#wire/schema-builders.ts'

/** What lists, boards, timelines, filters and sums of the web app need of a task. */
export const SUMMARY_FIELDS = [
  'id',
  'number',
  'title',
  'status',
  'priority',
  'assignee_ids',
  'tag_ids',
  'start_date',
  'due_date',
  'due_at',
  'parent_id',
  'position',
  'estimate_seconds',
  'time_spent_seconds',
  'blocked_by_ids',
  'comment_count',
  'subtask_count',
  'completed_subtask_count',
  'created_by_id',
  'created_at',
  'updated_at',
  'completed_at',
  'canceled_at',
  'recurrence',
  'recurred_from_id',
  'custom_fields',
  'version',
] as const satisfies readonly (keyof Task)[]

/** The page of a project knows the prefix from its address before it knows the id. */
const ProjectIdOrPrefix = StrictObject({
  id: Type.String({
    description: 'The id of the project, or its prefix, such as `ENG`.',
    examples: ['ENG'],
  }),
})

/** The first line. */
export type ProjectTasksHead = Static<typeof ProjectTasksHead>
export const ProjectTasksHead = StrictObject({
  project_id: Id('prj'),
  /** All that follows contains the changes up to this number at least. */
  change_number: Type.Integer(),
  /** What the number belongs to; another one means that the database was restored. */
  history: Type.String(),
  /** How many tasks the project has that are not deleted. */
  total: Type.Integer(),
  tags: List(Tag),
})

/** The schema of columns with these fields of tasks. */
function columnsOf(fields: readonly (keyof Task)[]) {
  const all = Object.entries(pickFields(Task.properties, fields))
  return StrictObject(Object.fromEntries(all.map(([name, schema]) => [name, List(schema)])))
}

/** Up to 1,000 tasks: of each field the values of all of them. */
export type TaskColumns = { [F in (typeof SUMMARY_FIELDS)[number]]: Task[F][] }

export const getProjectTasks = endpoint({
  method: 'GET',
  path: '/internal/projects/:id/tasks',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Get all tasks of a project',
  description:
    'Lines of JSON: a head, then columns of up to 1,000 tasks each, open ones first, and at last ' +
    '`{"end":true}`, without which the reply is incomplete. What changes meanwhile is told by the ' +
    'changes after `change_number`.',
  params: ProjectIdOrPrefix,
  query: StrictObject({}),
  reply: ProjectTasksHead,
  lines: columnsOf(SUMMARY_FIELDS),
})

/** The most open tasks that a page holds of all projects together. */
export const MAX_OPEN_TASKS = 50_000

/** The first line. */
export type OpenTasksHead = Static<typeof OpenTasksHead>
export const OpenTasksHead = StrictObject({
  /** All that follows contains the changes up to this number at least. */
  change_number: Type.Integer(),
  /** What the number belongs to; another one means that the database was restored. */
  history: Type.String(),
  /** Projects that are left out, because there would be more than 50,000 tasks with theirs. */
  omitted_project_ids: List(Id('prj')),
})

const OPEN_TASK_FIELDS = ['project_id', ...SUMMARY_FIELDS] as const
/** Up to some thousand open tasks: of each field the values of all of them. */
export type OpenTaskColumns = TaskColumns & { project_id: string[] }

export const getOpenTasks = endpoint({
  method: 'GET',
  path: '/internal/open-tasks',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Get the open tasks of all projects',
  description:
    'Lines of JSON as of all tasks of a project: a head, then columns of tasks that are neither completed ' +
    'nor canceled, in all projects that the person sees and that are not archived, and at last `{"end":true}`. Of ' +
    'more than 50,000 tasks, whole projects are left out, the largest ones first.',
  query: StrictObject({}),
  reply: OpenTasksHead,
  lines: columnsOf(OPEN_TASK_FIELDS),
})

export type ProjectMatches = Static<typeof ProjectMatches>
const ProjectMatches = StrictObject({ numbers: List(Integer(1, Number.MAX_SAFE_INTEGER)) })

export const getProjectMatches = endpoint({
  method: 'GET',
  path: '/internal/projects/:id/matches',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'Search the tasks of a project',
  description:
    'The numbers of the tasks that `q` of the list of tasks finds. The web app holds no descriptions.',
  params: ProjectIdOrPrefix,
  query: StrictObject({ q: TASK_FILTERS.q }),
  reply: ProjectMatches,
})
