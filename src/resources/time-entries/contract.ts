import { Type } from 'typebox'
import { bulkEndpoint, existingRecord } from '#wire/bulk-endpoint.ts'
import { endpoint } from '#wire/endpoint.ts'
import { CREATED_AT, UPDATED_AT } from '#wire/record-fields.ts'
import { RecordSource } from '#wire/record-source.ts'
import {
  CalendarDay,
  FieldOf,
  Flag,
  Id,
  IdReference,
  Integer,
  ListQuery,
  MultilineText,
  Named,
  Nullable,
  Optional,
  PageOf,
  PathId,
  RecordId,
  RequestBody,
  type Static,
  TaskPathId,
  Timestamp,
  WordOrId,
} from '#wire/schema-builders.ts'
import { validateEntryChanges, validateNewEntry } from './span.ts'

const Seconds = (description: string) => Integer(1, 86_400, { description })
const Note = (description: string) => Nullable(MultilineText(0, 2_000), { description })

const BILLABLE = 'Whether the time is to be billed. Docket only stores it.'

export type TimeEntry = Static<typeof TimeEntry>
export const TimeEntry = Type.Object(
  {
    id: RecordId('tme'),
    task_id: Id('tsk', { description: 'The task that the time was spent on.' }),
    project_id: Id('prj', { description: 'The project in which the task is now.' }),
    user_id: Id('usr', { description: 'The person whose time it is.' }),
    started_at: Nullable(Timestamp(), {
      description: 'When the work began. Null if only a duration was logged.',
    }),
    ended_at: Nullable(Timestamp(), {
      description:
        'When the work ended. Null if only a duration was logged, and while the timer runs.',
    }),
    duration_seconds: Nullable(Integer(1, 86_400), {
      description: 'The time spent in seconds. Null while the timer runs.',
    }),
    is_running: Flag({ description: 'Whether it is a timer that runs.' }),
    spent_on: CalendarDay({ description: 'The day that the time counts for.' }),
    note: Note('What was done, in Markdown. Null if there is no note.'),
    billable: Flag({ description: BILLABLE }),
    source: RecordSource,
    created_by_id: Id('usr', {
      description: 'The person who logged it, for themselves or for somebody else.',
    }),
    created_at: CREATED_AT,
    updated_at: UPDATED_AT,
  },
  {
    title: 'TimeEntry',
    description: 'Time that a person has spent on a task, or a running timer.',
    additionalProperties: false,
  },
)

const TimeEntryParams = PathId('tme')
const COMMON = { limit: 'workspace', tag: 'Time entries' } as const

export const listTaskTimeEntries = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id/time-entries',
  scope: 'time_entries:read',
  operationId: 'listTaskTimeEntries',
  summary: 'List the time entries of a task',
  description: 'Of all people, running timers included.',
  params: TaskPathId,
  query: ListQuery(['-spent_on', 'created_at'], {
    user_id: Optional(
      WordOrId(['me'], 'usr', { description: 'Only the time of this person. `me` is you.' }),
    ),
    spent_after: Optional(
      CalendarDay({ description: 'Only time that counts for this day or a later one.' }),
    ),
    spent_before: Optional(
      CalendarDay({ description: 'Only time that counts for a day before this one.' }),
    ),
    billable: Optional(
      Flag({ description: '`true`: only billable time. `false`: only time that is not.' }),
    ),
    running: Optional(
      Flag({ description: '`true`: only running timers. `false`: only finished entries.' }),
    ),
  }),
  reply: PageOf(TimeEntry),
})

export const createTimeEntry = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/tasks/:id/time-entries',
  grantsLastingAccess: false,
  scope: 'time_entries:write',
  operationId: 'createTimeEntry',
  summary: 'Log time or start a timer',
  description:
    'To log time, send `duration_seconds`, or `started_at` with `ended_at` or `duration_seconds`. ' +
    'To start a timer, send `running: true`, `started_at` or both; it stops the timer that the person had.',
  params: TaskPathId,
  body: Named(
    'TimeEntryCreate',
    RequestBody(
      {
        user_id: Optional(
          IdReference('usr', {
            description:
              'The person whose time it is. Only owners and admins log the time of others. Default: you.',
          }),
        ),
        started_at: Optional(
          Nullable(Timestamp(), {
            description:
              'When the work began, at most 5 minutes from now. ' +
              'Without an end and a duration it starts a timer, at most 24 hours ago.',
          }),
        ),
        ended_at: Optional(
          Nullable(Timestamp(), {
            description:
              'When the work ended, at most 5 minutes from now and 24 hours after `started_at`, which it needs.',
          }),
        ),
        duration_seconds: Optional(
          Nullable(Integer(1, 86_400), {
            description: 'The time spent in seconds. With `started_at` it sets `ended_at`.',
          }),
        ),
        running: Optional(
          Flag({
            description: '`true` starts a timer, at `started_at` or now. `false` is not accepted.',
          }),
        ),
        spent_on: Optional(
          CalendarDay({
            description:
              'The day that the time counts for. ' +
              'Default: the day of `started_at`, else today, in the time zone of the person.',
          }),
        ),
        note: Optional(Note('What was done, in Markdown. Default: null.')),
        billable: Optional(
          Flag({ default: false, description: `${BILLABLE} Default: \`false\`.` }),
        ),
      },
      TimeEntry,
      [],
      [],
      validateNewEntry,
    ),
    { description: 'A new time entry, or a timer to start.' },
  ),
  reply: TimeEntry,
  status: 201,
  location: '/api/v1/time-entries/:id',
  dryRun: true,
  roles: 'Everyone for themselves; owners and admins for others.',
  errors: ['insufficient_role', 'project_archived'],
})

export const getTimeEntry = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/time-entries/:id',
  scope: 'time_entries:read',
  operationId: 'getTimeEntry',
  summary: 'Get a time entry',
  description: 'A logged time, or a timer that runs.',
  params: TimeEntryParams,
  reply: TimeEntry,
  conditions: 'compared',
})

export const updateTimeEntry = endpoint({
  ...COMMON,
  method: 'PATCH',
  path: '/api/v1/time-entries/:id',
  grantsLastingAccess: false,
  scope: 'time_entries:write',
  operationId: 'updateTimeEntry',
  summary: 'Update a time entry or stop a timer',
  description:
    'To stop a timer now, send `running: false`; to stop it at another time, `ended_at`.',
  params: TimeEntryParams,
  body: Named(
    'TimeEntryUpdate',
    RequestBody(
      {
        started_at: Optional(
          Timestamp({
            description:
              'When the work began, which also changes the duration. ' +
              'An entry without times needs `ended_at`, too.',
          }),
        ),
        ended_at: Optional(
          Timestamp({
            description:
              'When the work ended, which also changes the duration and stops a timer. ' +
              'An entry without times needs `started_at`, too.',
          }),
        ),
        duration_seconds: Optional(
          Seconds(
            'The time spent in seconds, which moves `ended_at` if there is one. Not for a running timer.',
          ),
        ),
        running: Optional(
          Flag({
            description: '`false` stops the timer now. `true` is accepted only while it runs.',
          }),
        ),
        spent_on: Optional(
          CalendarDay({
            description:
              'The day that the time counts for. A change of the times does not move it.',
          }),
        ),
        note: Optional(Note('What was done, in Markdown. Null removes the note.')),
        billable: Optional(Flag({ description: BILLABLE })),
      },
      TimeEntry,
      [],
      [],
      validateEntryChanges,
    ),
    { description: 'The changes of a time entry. Fields that you leave out stay as they are.' },
  ),
  reply: TimeEntry,
  dryRun: true,
  conditions: 'compared',
  roles: 'The person whose time it is, owners and admins.',
  errors: ['insufficient_role', 'project_archived'],
})

export const deleteTimeEntry = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/time-entries/:id',
  grantsLastingAccess: false,
  scope: 'time_entries:delete',
  operationId: 'deleteTimeEntry',
  summary: 'Delete a time entry',
  description: 'It cannot be restored, and no longer counts in `time_spent_seconds` of the task.',
  params: TimeEntryParams,
  dryRun: true,
  conditions: 'compared',
  roles: 'The person whose time it is, owners and admins.',
  errors: ['insufficient_role', 'project_archived'],
})

const EXISTING_ENTRY = existingRecord('tme')

export const bulkTimeEntries = endpoint({
  ...COMMON,
  path: '/api/v1/time-entries/bulk',
  scope: 'time_entries:write',
  operationId: 'bulkTimeEntries',
  summary: 'Log, update and delete time entries in bulk',
  description:
    'Runs up to 100 operations in order, which count as one request. ' +
    'If an operation deletes a time entry, the credential also needs the scope `time_entries:delete`.',
  ...bulkEndpoint(
    'tme',
    { name: 'TimeEntry', plural: 'TimeEntries', record: TimeEntry },
    {
      create: {
        description: 'Logs time on a task, or starts a timer.',
        properties: {
          task_id: IdReference('tsk', { description: 'The id of the task, or its short id.' }),
          data: FieldOf(createTimeEntry.body, 'The new time entry.'),
        },
      },
      update: {
        description: 'Updates a time entry, or stops a timer.',
        properties: {
          ...EXISTING_ENTRY,
          data: FieldOf(updateTimeEntry.body, 'The changes of the time entry.'),
        },
      },
      delete: { description: 'Deletes a time entry.', properties: EXISTING_ENTRY },
    },
  ),
  roles: 'As for the endpoint of each operation.',
  errors: [
    'insufficient_role',
    'project_archived',
    'limit_reached',
    'not_found',
    'version_mismatch',
  ],
})
