import {
  CREATION_FIELDS,
  defineArchivePart,
  defineRecord,
  PositiveInteger,
} from '#resources/noun.ts'
import { Id, List, Nullable, Pattern, StrictObject } from '#wire/schema-builders.ts'
import { ARCHIVED_FIELDS, pickFields, Task } from './fields.ts'
import { taskJson } from './task-json.ts'

export const taskRecord = defineRecord('task', {
  schema: Task,
  events: {
    created: 'A task was created.',
    updated: 'A task was changed, other than by completing or assigning it.',
    completed: 'A task was completed.',
    deleted: 'A task was deleted.',
    assigned: 'A task got an assignee.',
  },
  table: 'tasks',
  idPrefix: 'tsk',
  rank: 4,
  of: 'project',
  json: (dialect, $) => taskJson(dialect, $),
})

export const archivedTasks = defineArchivePart({
  line: StrictObject({
    ...pickFields(Task.properties, ARCHIVED_FIELDS),
    former_numbers: List(StrictObject({ project_id: Id('prj'), number: PositiveInteger })),
    position: Pattern('^[0-9A-Za-z]{1,250}$', 'a rank of 1 to 250 letters and digits'),
    ...CREATION_FIELDS,
    deleted_by_operation_id: Nullable(Id('opr')),
  }),
  table: 'tasks',
  json: ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'],
  related: {
    former_numbers: {
      table: 'task_numbers',
      of: 'task_id',
      columns: ['project_id', 'number'],
      order: 'project_id',
    },
    // Includes deleted blockers, which tasks do not show.
    blocked_by_ids: {
      table: 'task_blocks',
      of: 'task_id',
      columns: ['blocker_id'],
      order: 'blocker_id',
    },
  },
  people: ['created_by_id', 'completed_by_id', 'assignee_ids'],
  projects: ['project_id', 'former_numbers'],
})
