import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Flag, Integer, Optional, type Static, StrictObject } from '#wire/schema-builders.ts'
import { Task } from './fields.ts'

/** The most tasks that one request creates, including the topmost. */
export const MAX_TREE_TASKS = 1_000

/** The topmost of the created tasks, and the number of all of them. */
export type CreatedTaskTree = Static<typeof CreatedTaskTree>
export const CreatedTaskTree = StrictObject({ task: Task, made: Integer(1, MAX_TREE_TASKS) })

export const copyTask = endpoint({
  method: 'POST',
  path: '/internal/tasks/:id/copy',
  grantsLastingAccess: false,
  scope: 'session',
  limit: 'session',
  tag: 'Tasks',
  summary: 'Copy a task with its subtasks',
  description:
    'Right after it, with its people who are still there, tags, dates, estimates, custom fields, and the ' +
    'dependencies among what is copied. Without comments, time, files, recurrence and external ids.',
  params: StrictObject({ id: Type.String() }),
  body: StrictObject({
    subtasks: Optional(Flag({ default: true })),
    keep_status: Optional(
      Flag({ default: false, description: 'Else the copies begin where new tasks do.' }),
    ),
  }),
  bodyOptional: true,
  reply: CreatedTaskTree,
  status: 201,
  takesIdempotencyKey: true,
})

export const announceTaskEditing = endpoint({
  method: 'PUT',
  path: '/internal/tasks/:id/editing',
  grantsLastingAccess: false,
  scope: 'session',
  limit: 'session',
  tag: 'Tasks',
  summary: 'Announce that you edit the title or description of a task',
  description: 'Those who follow the changes of its project get a hint. It is stored nowhere.',
  params: StrictObject({ id: Type.String() }),
})
