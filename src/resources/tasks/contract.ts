import { Type } from 'typebox'
import { OneProject, STATUS_CATEGORIES, STATUS_KEY } from '#resources/projects/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Day,
  Fields,
  Flag,
  Id,
  List,
  ListQuery,
  Nullable,
  OneOf,
  OneOrMore,
  Optional,
  PageOf,
  Pattern,
  Reference,
  Search,
  Timestamp,
  Whole,
} from '#wire/schema.ts'
import { APART, APART_IN_CHANGES, NEW_TASK, PRIORITIES, TASK_CHANGES, Task } from './fields.ts'
import { OPERATIONS, togetherChanged, togetherInBulk, togetherNew } from './together.ts'

const person = '^(me|usr_[0-9a-hjkmnp-tv-z]{26})$'
const personOrNone = '^(me|none|usr_[0-9a-hjkmnp-tv-z]{26})$'

/** The filters of every list of tasks (contract 3.3). */
export const TASK_FILTERS = {
  status: OneOrMore(Pattern(STATUS_KEY)),
  status_category: OneOrMore(OneOf(STATUS_CATEGORIES)),
  completed: Optional(Flag()),
  assignee_id: OneOrMore(Pattern(personOrNone)),
  created_by_id: OneOrMore(Pattern(person)),
  tag_id: OneOrMore(Pattern('^(none|tag_[0-9a-hjkmnp-tv-z]{26})$')),
  priority: OneOrMore(OneOf(PRIORITIES)),
  parent_id: Optional(Pattern('^(none|tsk_[0-9a-hjkmnp-tv-z]{26})$')),
  due_after: Optional(Day()),
  due_before: Optional(Day()),
  created_after: Optional(Timestamp()),
  created_before: Optional(Timestamp()),
  updated_since: Optional(Timestamp()),
  completed_after: Optional(Timestamp()),
  completed_before: Optional(Timestamp()),
  external_source: Optional(Type.String({ minLength: 1, maxLength: 100 })),
  external_id: Optional(Type.String({ minLength: 1, maxLength: 255 })),
  q: Search,
  deleted: Optional(OneOf(['exclude', 'include', 'only'], { default: 'exclude' })),
}

const OneTask = Fields({ id: Type.String() })
const common = { limit: 'workspace', tag: 'Tasks' } as const
const WRITE_ONLY = Object.keys(TASK_CHANGES)

export const NewTask = Body(NEW_TASK, Task, WRITE_ONLY, APART, togetherNew)
export const TaskChanges = Body(TASK_CHANGES, Task, [], APART_IN_CHANGES, togetherChanged)

export const listTasksOfProject = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/projects/:id/tasks',
  scope: 'tasks:read',
  summary: 'List the tasks of a project',
  params: OneProject,
  query: ListQuery(
    ['position', 'created_at', 'updated_at', 'due_date', 'priority', 'number'],
    TASK_FILTERS,
  ),
  reply: PageOf(Task),
})

export const listTasks = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tasks',
  scope: 'tasks:read',
  summary: 'List and search the tasks of the workspace',
  query: ListQuery(['-created_at', 'updated_at', 'due_date', 'priority'], {
    ...TASK_FILTERS,
    project_id: OneOrMore(Id('prj')),
    id: OneOrMore(Id('tsk'), 100),
  }),
  reply: PageOf(Task),
})

export const getTask = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tasks/:id',
  scope: 'tasks:read',
  summary: 'Get a task',
  params: OneTask,
  reply: Task,
  conditions: 'compared',
})

export const createTask = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks',
  scope: 'tasks:write',
  summary: 'Create a task',
  body: NewTask,
  reply: Task,
  status: 201,
  location: '/api/v1/tasks/:id',
  dryRun: true,
})

export const updateTask = endpoint({
  ...common,
  method: 'PATCH',
  path: '/api/v1/tasks/:id',
  scope: 'tasks:write',
  summary: 'Update a task',
  params: OneTask,
  body: TaskChanges,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
})

export const deleteTask = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/tasks/:id',
  scope: 'tasks:delete',
  summary: 'Delete a task',
  description: 'Takes its subtasks along. For 30 days it can be restored.',
  params: OneTask,
  dryRun: true,
  conditions: 'compared',
})

export const completeTask = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/:id/complete',
  scope: 'tasks:write',
  summary: 'Complete a task',
  params: OneTask,
  body: Fields({}),
  bodyOptional: true,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
})

export const restoreTask = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/:id/restore',
  scope: 'tasks:write',
  summary: 'Restore a deleted task',
  description: 'With the subtasks that the same deletion took along.',
  params: OneTask,
  body: Fields({}),
  bodyOptional: true,
  reply: Task,
  dryRun: true,
  conditions: 'compared',
})

const BulkOperation = Fields(
  {
    op: OneOf(OPERATIONS),
    id: Optional(Reference('tsk')),
    version: Optional(Whole(1, Number.MAX_SAFE_INTEGER)),
    data: Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', propertyNames: { pattern: '' } }),
    ),
  },
  { 'x-together': togetherInBulk },
)

const BulkResult = Fields({
  index: Whole(0, 99),
  status: Whole(200, 599),
  operation_id: Nullable(Id('opr')),
  data: Nullable(Task),
  error: Nullable(
    Fields({
      type: Type.String(),
      code: Type.String(),
      message: Type.String(),
      details: List(
        Fields({
          field: Type.String(),
          code: Type.String(),
          message: Type.String(),
          resource_id: Optional(Type.String()),
        }),
      ),
    }),
  ),
})

export const bulkTasks = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/bulk',
  scope: 'tasks:write',
  summary: 'Do up to 100 operations on tasks in one request',
  description:
    'Needs `tasks:delete` too if an operation deletes. With `atomic` all succeed or none.',
  body: Fields({
    operations: List(BulkOperation, { minItems: 1, maxItems: 100 }),
    atomic: Optional(Flag({ default: true })),
  }),
  reply: Fields({ results: List(BulkResult), succeeded: Whole(0, 100), failed: Whole(0, 100) }),
  dryRun: true,
  conditions: 'refused',
})
