import { Type } from 'typebox'
import { ProjectParams, StatusCategory, StatusKey } from '#resources/projects/contract.ts'
import { bulkEndpoint } from '#wire/bulk-endpoint.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  CalendarDay,
  CommaSeparated,
  FieldOf,
  Flag,
  Id,
  IdReference,
  Integer,
  ListQuery,
  Named,
  Optional,
  PageOf,
  RequestBody,
  RequestId,
  SearchText,
  StrictObject,
  StringEnum,
  TaskPathId,
  Timestamp,
  WordOrId,
} from '#wire/schema-builders.ts'
import {
  EXCLUSIVE_FIELDS,
  EXCLUSIVE_FIELDS_IN_CHANGES,
  ExternalId,
  ExternalSource,
  NEW_TASK,
  pickFields,
  TASK_CHANGES,
  Task,
  TaskPriority,
} from './fields.ts'
import { validateNewTask, validateTaskChanges } from './rules/rules.ts'

const WRITE_ONLY = Object.keys(TASK_CHANGES)

export const NewTask = Named(
  'TaskCreate',
  RequestBody(NEW_TASK, Task, WRITE_ONLY, EXCLUSIVE_FIELDS, validateNewTask),
  { description: 'A new task. Fields that you leave out get their defaults.' },
)
export const TaskChanges = Named(
  'TaskUpdate',
  RequestBody(TASK_CHANGES, Task, [], EXCLUSIVE_FIELDS_IN_CHANGES, validateTaskChanges),
  { description: 'The changes of a task. Fields that you leave out stay as they are.' },
)

const EXISTING_TASK = {
  id: IdReference('tsk', { description: 'The id of the task, or its short id.' }),
  version: Optional(
    Integer(1, Number.MAX_SAFE_INTEGER, {
      description:
        'The `version` that the task must have; otherwise the operation fails with 412. Default: any.',
    }),
  ),
}

const NEW_TASK_FIELDS = Object.keys(NEW_TASK) as (keyof typeof NEW_TASK)[]

/**
 * A task by its external id, whether or not it exists. Its schemas are those of an update, which have no
 * defaults: a client that sends defaults would reset the fields of an existing task.
 */
export const TaskUpsert = Named(
  'TaskUpsert',
  RequestBody(
    {
      ...pickFields(TASK_CHANGES, NEW_TASK_FIELDS),
      project_id: Optional(
        IdReference('prj', {
          description:
            'The project in which to create a new task, which needs it. Moves an existing task of another project; without it, that stays where it is.',
        }),
      ),
      title: Optional({
        ...NEW_TASK.title,
        description: 'What is to be done, in one line. A new task needs it.',
      }),
      external_source: { ...ExternalSource, description: 'The other system.' },
      external_id: { ...ExternalId, description: 'The id of the task in the other system.' },
    },
    Task,
    WRITE_ONLY,
    EXCLUSIVE_FIELDS,
    validateTaskChanges,
  ),
  {
    description:
      'A task to create or update. Of an existing task, fields that you leave out stay as they are; a new one gets their defaults.',
  },
)

const Day = (description: string) => Optional(CalendarDay({ description }))
const Time = (description: string) => Optional(Timestamp({ description }))
const ExactText = (maxLength: number, description: string) =>
  Optional(Type.String({ minLength: 1, maxLength, description }))

/** The filters of every list of tasks (docs/spec/api.md#sorting-and-filters). */
export const TASK_FILTERS = {
  status: CommaSeparated(StatusKey(), {
    description: 'Only tasks in one of these statuses, by key.',
  }),
  status_category: CommaSeparated(StatusCategory, {
    description: 'Only tasks whose status is in one of these categories.',
  }),
  completed: Optional(
    Flag({
      description:
        '`true`: only tasks in the category `completed`. `false`: all others, canceled ones too.',
    }),
  ),
  assignee_id: CommaSeparated(WordOrId(['me', 'none'], 'usr'), {
    description:
      'Only tasks assigned to one of these people. `me` is you, `none` means unassigned.',
  }),
  created_by_id: CommaSeparated(WordOrId(['me'], 'usr'), {
    description: 'Only tasks that one of these people created. `me` is you.',
  }),
  tag_id: CommaSeparated(WordOrId(['none'], 'tag'), {
    description: 'Only tasks with one of these tags. `none` means without tags.',
  }),
  priority: CommaSeparated(TaskPriority, {
    description: 'Only tasks with one of these priorities.',
  }),
  parent_id: Optional(
    WordOrId(['none'], 'tsk', {
      description: 'Only direct subtasks of this task. `none` means tasks at the top level.',
    }),
  ),
  due_after: Day('Only tasks that are due on this day or later.'),
  due_before: Day('Only tasks that are due before this day.'),
  created_after: Time('Only tasks created at this time or later.'),
  created_before: Time('Only tasks created before this time.'),
  updated_since: Time('Only tasks updated at this time or later.'),
  completed_after: Time('Only tasks completed at this time or later.'),
  completed_before: Time('Only tasks completed before this time.'),
  external_source: ExactText(100, 'Only tasks with exactly this `external_source`.'),
  external_id: ExactText(
    255,
    'Only the task with exactly this `external_id`. Needs `external_source`, too.',
  ),
  q: SearchText(
    'Only tasks in which each of these words is the beginning of a word of the title or description, ' +
      'regardless of case. A single letter or digit must be a whole word, and only the first eight ' +
      'words count. A short id finds its task.',
  ),
  deleted: Optional(
    FieldOf(
      StringEnum(['exclude', 'include', 'only'], {
        title: 'DeletedTasks',
        description:
          '`exclude`: no deleted tasks. `include`: deleted tasks, too. `only`: only deleted tasks. ' +
          'Deleted tasks are listed as long as they can be restored.',
      }),
      'Whether deleted tasks are listed.',
      { default: 'exclude' },
    ),
  ),
}

const COMMON = { limit: 'workspace', tag: 'Tasks' } as const

export const listProjectTasks = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/projects/:id/tasks',
  scope: 'tasks:read',
  operationId: 'listProjectTasks',
  summary: 'List the tasks of a project',
  description:
    'Subtasks and completed tasks are listed, too. Without `sort` the order is that of the project.',
  params: ProjectParams,
  query: ListQuery(
    ['position', 'created_at', 'updated_at', 'due_date', 'priority', 'number'],
    TASK_FILTERS,
  ),
  reply: PageOf(Task),
})

export const listTasks = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks',
  scope: 'tasks:read',
  operationId: 'listTasks',
  summary: 'List and search tasks',
  description:
    'The tasks of all projects that you can see. Search their titles and descriptions with `q`.',
  query: ListQuery(['-created_at', 'updated_at', 'due_date', 'priority'], {
    ...TASK_FILTERS,
    project_id: CommaSeparated(Id('prj'), { description: 'Only tasks of these projects.' }),
    id: CommaSeparated(RequestId('tsk'), { maxItems: 100, description: 'Only these tasks.' }),
  }),
  reply: PageOf(Task),
})

export const getTask = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id',
  scope: 'tasks:read',
  operationId: 'getTask',
  summary: 'Get a task',
  description: 'By its id or a short id, present or earlier. A deleted task is not found.',
  params: TaskPathId,
  reply: Task,
  conditions: 'compared',
})

export const createTask = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'createTask',
  summary: 'Create a task',
  description:
    'The task comes last in its project, unless you send `before_id` or `after_id`. ' +
    'All people who see the project can create tasks in it.',
  body: NewTask,
  reply: Task,
  status: 201,
  location: '/api/v1/tasks/:id',
  dryRun: true,
  errors: ['project_archived', 'external_id_exists', 'limit_reached'],
})

export const updateTask = endpoint({
  ...COMMON,
  method: 'PATCH',
  path: '/api/v1/tasks/:id',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'updateTask',
  summary: 'Update a task',
  description:
    'Changes only what you send. A `status` completes, cancels or reopens the task; a `project_id` moves it.',
  params: TaskPathId,
  body: TaskChanges,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
  errors: ['project_archived', 'external_id_exists', 'limit_reached'],
})

export const deleteTask = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/tasks/:id',
  grantsLastingAccess: false,
  scope: 'tasks:delete',
  operationId: 'deleteTask',
  summary: 'Delete a task',
  description:
    'Deletes its subtasks, too, and stops their timers. You can restore them for 30 days, unless your operator set another time.',
  params: TaskPathId,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners, admins and members. Guests delete only tasks that they created.',
  errors: ['insufficient_role', 'project_archived', 'limit_reached'],
})

export const completeTask = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks/:id/complete',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'completeTask',
  summary: 'Complete a task',
  description:
    'Moves the task to the first status of category `completed`. If it repeats, the next task is created. ' +
    'Subtasks stay as they are, and so does a task that is completed already.',
  params: TaskPathId,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
  errors: ['project_archived'],
})

export const restoreTask = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks/:id/restore',
  grantsLastingAccess: false,
  scope: 'tasks:write',
  operationId: 'restoreTask',
  summary: 'Restore a deleted task',
  description:
    'Restores the subtasks that were deleted with it, too. A task that is not deleted stays as it is.',
  params: TaskPathId,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners, admins and members. Guests restore only tasks that they created.',
  errors: ['insufficient_role', 'project_archived', 'external_id_exists', 'limit_reached'],
})

export const bulkTasks = endpoint({
  ...COMMON,
  path: '/api/v1/tasks/bulk',
  scope: 'tasks:write',
  operationId: 'bulkTasks',
  summary: 'Create, update and delete tasks in bulk',
  description:
    'Runs up to 100 operations in order, which count as one request. ' +
    '`upsert` creates or updates the task of an external id. ' +
    'If an operation deletes a task, the credential also needs the scope `tasks:delete`.',
  ...bulkEndpoint(
    'tsk',
    { name: 'Task', plural: 'Tasks', record: Task },
    {
      create: {
        description: 'Creates a task.',
        properties: { data: FieldOf(NewTask, 'The new task.') },
      },
      update: {
        description: 'Updates a task.',
        properties: { ...EXISTING_TASK, data: FieldOf(TaskChanges, 'The changes of the task.') },
      },
      upsert: {
        description:
          'Updates the task with this `external_source` and `external_id`, with status 200, or else creates it, with status 201.',
        properties: {
          version: EXISTING_TASK.version,
          data: FieldOf(TaskUpsert, 'The task, of which the external id is required.'),
        },
      },
      complete: { description: 'Completes a task.', properties: EXISTING_TASK },
      delete: { description: 'Deletes a task and its subtasks.', properties: EXISTING_TASK },
      restore: { description: 'Restores a deleted task.', properties: EXISTING_TASK },
    },
  ),
  roles: 'As for the endpoint of each operation.',
  errors: [
    'insufficient_role',
    'project_archived',
    'external_id_exists',
    'limit_reached',
    'not_found',
    'version_mismatch',
  ],
})
