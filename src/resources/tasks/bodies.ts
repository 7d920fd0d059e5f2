import { Named, RequestBody } from '#wire/schema-builders.ts'
import {
  EXCLUSIVE_FIELDS,
  EXCLUSIVE_FIELDS_IN_CHANGES,
  NEW_TASK,
  TASK_CHANGES,
  Task,
} from './fields.ts'
import { validateNewTask, validateTaskChanges } from './rules/cross-field-rules.ts'

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
