import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Day,
  Fields,
  Flag,
  Id,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  Pattern,
  Reference,
  type Static,
  Text,
  Timestamp,
  Whole,
} from '#wire/schema.ts'
import { Source } from '#wire/source.ts'
import { changedCombination, newCombination } from './combination.ts'

const Seconds = Whole(1, 86_400)

export type TimeEntry = Static<typeof TimeEntry>
export const TimeEntry = Type.Object(
  {
    id: Id('tme'),
    task_id: Id('tsk'),
    project_id: Id('prj', { description: 'Follows the task.' }),
    user_id: Id('usr', { description: 'Whose time it is.' }),
    started_at: Nullable(Timestamp()),
    ended_at: Nullable(Timestamp()),
    duration_seconds: Nullable(Seconds, { description: 'Null only while it is running.' }),
    is_running: Flag(),
    spent_on: Day({ description: 'The day it counts for; by default in the zone of `user_id`.' }),
    note: Nullable(Text(0, 2_000)),
    billable: Flag({ default: false }),
    source: Source,
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'TimeEntry', additionalProperties: false },
)

const { spent_on, note, billable } = TimeEntry.properties
const OneTask = Fields({ id: Type.String() })
const OneEntry = Fields({ id: Id('tme') })
const common = { limit: 'workspace', tag: 'Time entries' } as const

export const listTimeEntries = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/tasks/:id/time-entries',
  scope: 'time_entries:read',
  summary: 'List the time entries of a task',
  params: OneTask,
  query: ListQuery(['-spent_on', 'created_at'], {
    user_id: Optional(Pattern('^(me|usr_[0-9a-hjkmnp-tv-z]{26})$')),
    spent_after: Optional(Day()),
    spent_before: Optional(Day()),
    billable: Optional(Flag()),
    running: Optional(Flag()),
  }),
  reply: PageOf(TimeEntry),
})

export const createTimeEntry = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/tasks/:id/time-entries',
  scope: 'time_entries:write',
  summary: 'Log time on a task, or start a timer',
  description:
    'Takes `duration_seconds`; or `started_at` with it or with `ended_at`; or, for a timer, ' +
    "`running: true`, `started_at`, or both. A timer stops the person's previous one.",
  params: OneTask,
  body: Body(
    {
      user_id: Optional(
        Reference('usr', { description: 'Only owners and admins log the time of others.' }),
      ),
      started_at: Optional(Nullable(Timestamp())),
      ended_at: Optional(Nullable(Timestamp())),
      duration_seconds: Optional(Nullable(Seconds)),
      running: Optional(Flag({ description: 'True starts a timer.' })),
      spent_on: Optional(spent_on),
      note: Optional(note),
      billable: Optional(billable),
    },
    TimeEntry,
    [],
    [],
    newCombination,
  ),
  reply: TimeEntry,
  status: 201,
  location: '/api/v1/time-entries/:id',
  dryRun: true,
})

export const getTimeEntry = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/time-entries/:id',
  scope: 'time_entries:read',
  summary: 'Get a time entry',
  params: OneEntry,
  reply: TimeEntry,
  conditions: 'compared',
})

export const updateTimeEntry = endpoint({
  ...common,
  method: 'PATCH',
  path: '/api/v1/time-entries/:id',
  scope: 'time_entries:write',
  summary: 'Update a time entry, or stop a timer',
  description: '`running: false` stops a timer now, `ended_at` at that time.',
  params: OneEntry,
  body: Body(
    {
      started_at: Optional(Timestamp()),
      ended_at: Optional(Timestamp()),
      duration_seconds: Optional(Seconds),
      running: Optional(Flag({ description: 'False stops the timer.' })),
      spent_on: Optional(spent_on),
      note: Optional(note),
      billable: Optional(Flag()),
    },
    TimeEntry,
    [],
    [],
    changedCombination,
  ),
  reply: TimeEntry,
  dryRun: true,
  conditions: 'compared',
})

export const deleteTimeEntry = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/time-entries/:id',
  scope: 'time_entries:delete',
  summary: 'Delete a time entry',
  params: OneEntry,
  dryRun: true,
  conditions: 'compared',
})
