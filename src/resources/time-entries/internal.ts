import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Id, Nullable, type Static, StrictObject } from '#wire/schema-builders.ts'
import { TimeEntry } from './contract.ts'

/** The running timer of a user with its task; both are null if no timer is running. */
export type Timer = Static<typeof Timer>
export const Timer = StrictObject({
  entry: Nullable(TimeEntry),
  task: Nullable(
    StrictObject({
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
  summary: 'Get your running timer',
  description: 'A person has one at the most in a workspace, on whichever task.',
  reply: Timer,
})
