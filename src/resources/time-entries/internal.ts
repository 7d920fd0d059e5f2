import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Fields, Id, Nullable, type Static } from '#wire/schema.ts'
import { TimeEntry } from './contract.ts'

/** The timer of a person that runs, with what is shown of its task; both null where none does. */
export type Timer = Static<typeof Timer>
export const Timer = Fields({
  entry: Nullable(TimeEntry),
  task: Nullable(
    Fields({
      id: Id('tsk'),
      project_id: Id('prj'),
      short_id: Type.String(),
      title: Type.String(),
    }),
  ),
})

export const getTimer = endpoint({
  method: 'GET',
  path: '/internal/timer',
  scope: 'session',
  limit: 'session',
  tag: 'Time entries',
  summary: 'Get the running timer of the person who asks',
  description: 'A person has one at the most in a workspace, on whichever task.',
  reply: Timer,
})
