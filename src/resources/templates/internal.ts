import { Type } from 'typebox'
import { FIELDS_OF_TEMPLATE, pickFields, Task } from '#resources/tasks/fields.ts'
import { CreatedTaskTree } from '#resources/tasks/internal.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  CalendarDay,
  Flag,
  Id,
  IdReference,
  Integer,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  Pattern,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  Timestamp,
} from '#wire/schema-builders.ts'

/** The most tasks of a template, including the topmost. */
export const MAX_TEMPLATE_TASKS = 200
/** How far a task's dates may be from the day on which the template is used. */
export const MAX_DAYS_APART = 3_650

const Days = Nullable(Integer(-MAX_DAYS_APART, MAX_DAYS_APART), {
  description: 'Days after the day on which the template is used.',
})
const TaskPlace = Integer(0, MAX_TEMPLATE_TASKS - 1)

/** A task of a template. `parent` and `blocked_by` are indexes of the list of tasks. */
export type TemplateTask = Static<typeof TemplateTask>
export const TemplateTask = StrictObject({
  ...pickFields(Task.properties, FIELDS_OF_TEMPLATE),
  start_in_days: Days,
  due_in_days: Days,
  due_time: Nullable(Pattern('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'a time of day, such as 09:30')),
  parent: Nullable(TaskPlace),
  blocked_by: List(TaskPlace),
})

const SUMMARY_FIELDS = {
  id: Id('tpl'),
  project_id: Id('prj'),
  name: SingleLineText(1, 100),
  task_count: Integer(1, MAX_TEMPLATE_TASKS),
  created_by_id: Id('usr'),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

/** A template in lists, without its tasks. */
export type TemplateSummary = Static<typeof TemplateSummary>
export const TemplateSummary = Type.Object(SUMMARY_FIELDS, { additionalProperties: false })

export type Template = Static<typeof Template>
export const Template = Type.Object(
  { ...SUMMARY_FIELDS, tasks: List(TemplateTask, { minItems: 1, maxItems: MAX_TEMPLATE_TASKS }) },
  { title: 'Template', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Templates' } as const
const TemplateParams = StrictObject({ id: Id('tpl') })

export const listTemplates = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/templates',
  summary: 'List the templates of the projects that the person sees, or of one',
  query: ListQuery(['created_at'], { project_id: Optional(Id('prj')) }),
  reply: PageOf(TemplateSummary),
})

export const createTemplate = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/templates',
  grantsLastingAccess: false,
  summary: 'Save a task with its subtasks as a template of its project',
  description:
    'Days count from the start of the task, or else from the day on which it was made. Statuses, recurrence, ' +
    'comments, time and files are not in it.',
  body: StrictObject({
    task_id: IdReference('tsk'),
    name: SUMMARY_FIELDS.name,
    subtasks: Optional(Flag({ default: true })),
  }),
  reply: Template,
  status: 201,
  takesIdempotencyKey: true,
})

export const getTemplate = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/templates/:id',
  summary: 'Get a template',
  params: TemplateParams,
  reply: Template,
  conditions: 'compared',
})

const TemplateTaskChange = StrictObject({
  from: Integer(0, MAX_TEMPLATE_TASKS - 1, { description: 'Its place in the list as it was.' }),
  title: Optional(Task.properties.title),
  start_in_days: Optional(Days),
  due_in_days: Optional(Days),
})

export const updateTemplate = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/templates/:id',
  grantsLastingAccess: false,
  summary: 'Change a template',
  description: '`tasks` names those that stay, in their order: what it leaves out goes.',
  params: TemplateParams,
  body: RequestBody(
    {
      name: Optional(SUMMARY_FIELDS.name),
      tasks: Optional(List(TemplateTaskChange, { minItems: 1, maxItems: MAX_TEMPLATE_TASKS })),
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
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Delete a template',
  params: TemplateParams,
  conditions: 'compared',
})

export const instantiateTemplate = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/templates/:id/use',
  grantsLastingAccess: false,
  summary: 'Create tasks from a template',
  description: 'People who left or do not see the project, and tags that are gone, are left out.',
  params: TemplateParams,
  body: StrictObject({
    title: Optional(Task.properties.title),
    on: Optional(CalendarDay({ description: 'From which days count; without it, from today.' })),
  }),
  bodyOptional: true,
  reply: CreatedTaskTree,
  status: 201,
  takesIdempotencyKey: true,
})
