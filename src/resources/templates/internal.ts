import { Type } from 'typebox'
import { getTask } from '#resources/tasks/contract.ts'
import { MadeTree } from '#resources/tasks/internal.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Day,
  Fields,
  Flag,
  Id,
  Line,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  Pattern,
  Reference,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

/** Most tasks of a template, the topmost counted. */
export const MOST_TASKS = 200
const MOST_DAYS = 3_650

const task = getTask.reply.properties
const Days = Nullable(Whole(-MOST_DAYS, MOST_DAYS), {
  description: 'Days after the day on which the template is used.',
})
const Place = Whole(0, MOST_TASKS - 1)

/** A task that is yet to be made; `parent` and `blocked_by` are places in the list, from 0. */
export type TemplateTask = Static<typeof TemplateTask>
export const TemplateTask = Fields({
  title: task.title,
  description: task.description,
  priority: task.priority,
  assignee_ids: task.assignee_ids,
  tag_ids: task.tag_ids,
  start_in_days: Days,
  due_in_days: Days,
  due_time: Nullable(Pattern('^([01][0-9]|2[0-3]):[0-5][0-9]$')),
  estimate_seconds: task.estimate_seconds,
  custom_fields: task.custom_fields,
  parent: Nullable(Place),
  blocked_by: List(Place),
})

const NAMED = {
  id: Id('tpl'),
  project_id: Id('prj'),
  name: Line(1, 100),
  task_count: Whole(1, MOST_TASKS),
  created_by_id: Id('usr'),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

/** A template as lists show it. */
export type NamedTemplate = Static<typeof NamedTemplate>
export const NamedTemplate = Type.Object(NAMED, { additionalProperties: false })

export type Template = Static<typeof Template>
export const Template = Type.Object(
  { ...NAMED, tasks: List(TemplateTask, { minItems: 1, maxItems: MOST_TASKS }) },
  { title: 'Template', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Templates' } as const
const OneTemplate = Fields({ id: Id('tpl') })

export const listTemplates = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/templates',
  summary: 'List the templates of the projects that the person sees, or of one',
  query: ListQuery(['created_at'], { project_id: Optional(Id('prj')) }),
  reply: PageOf(NamedTemplate),
})

export const createTemplate = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/templates',
  summary: 'Save a task with its subtasks as a template of its project',
  description:
    'Days count from the start of the task, or else from the day on which it was made. Statuses, recurrence, ' +
    'comments, time and files are not in it.',
  body: Fields({
    task_id: Reference('tsk'),
    name: NAMED.name,
    subtasks: Optional(Flag({ default: true })),
  }),
  reply: Template,
  status: 201,
  once: true,
})

export const getTemplate = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/templates/:id',
  summary: 'Get a template',
  params: OneTemplate,
  reply: Template,
  conditions: 'compared',
})

const KeptTask = Fields({
  from: Whole(0, MOST_TASKS - 1, { description: 'Its place in the list as it was.' }),
  title: Optional(task.title),
  start_in_days: Optional(Days),
  due_in_days: Optional(Days),
})

export const updateTemplate = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/templates/:id',
  summary: 'Change a template',
  description: '`tasks` names those that stay, in their order: what it leaves out goes.',
  params: OneTemplate,
  body: Body(
    {
      name: Optional(NAMED.name),
      tasks: Optional(List(KeptTask, { minItems: 1, maxItems: MOST_TASKS })),
    },
    Template,
  ),
  reply: Template,
  conditions: 'compared',
})

export const deleteTemplate = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/templates/:id',
  summary: 'Delete a template',
  params: OneTemplate,
  conditions: 'compared',
})

export const useTemplate = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/templates/:id/use',
  summary: 'Make tasks from a template',
  description: 'People who left or do not see the project, and tags that are gone, are left out.',
  params: OneTemplate,
  body: Fields({
    title: Optional(task.title),
    on: Optional(Day({ description: 'From which days count; without it, from today.' })),
  }),
  bodyOptional: true,
  reply: MadeTree,
  status: 201,
  once: true,
})
