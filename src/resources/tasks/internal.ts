import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Fields, Flag, Optional, type Static, Whole } from '#wire/schema.ts'
import { Task } from './fields.ts'

/** Most tasks that are made in one act, the topmost counted. */
export const MOST_AT_ONCE = 1_000

/** What an act made: the topmost task, and how many there are with all below it. */
export type MadeTree = Static<typeof MadeTree>
export const MadeTree = Fields({ task: Task, made: Whole(1, MOST_AT_ONCE) })

export const copyTask = endpoint({
  method: 'POST',
  path: '/internal/tasks/:id/copy',
  scope: 'session',
  limit: 'session',
  tag: 'Tasks',
  summary: 'Copy a task with its subtasks',
  description:
    'Right after it, with its people who are still there, tags, dates, estimates, custom fields, and the ' +
    'dependencies among what is copied. Without comments, time, files, recurrence and external ids.',
  params: Fields({ id: Type.String() }),
  body: Fields({
    subtasks: Optional(Flag({ default: true })),
    keep_status: Optional(
      Flag({ default: false, description: 'Else the copies begin where new tasks do.' }),
    ),
  }),
  bodyOptional: true,
  reply: MadeTree,
  status: 201,
  once: true,
})
