import { Type } from 'typebox'
import { bulkWritesEndpoint } from '#wire/bulk-endpoint.ts'
import { endpoint } from '#wire/endpoint.ts'
import { CREATED_AT, RecordSource, UPDATED_AT } from '#wire/record-fields.ts'
import {
  CalendarDay,
  CommaSeparated,
  FieldOf,
  Flag,
  Id,
  IdReference,
  Integer,
  List,
  ListQuery,
  MultilineText,
  Named,
  Nullable,
  Optional,
  PageOf,
  PathId,
  RecordId,
  RequestBody,
  RequestId,
  type Static,
  StrictObject,
  StringEnum,
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

/** What a report can be grouped by, in the order of its columns. */
export const TIME_GROUPS = ['user', 'project', 'tag', 'task', 'day', 'week', 'month'] as const
export type TimeGroup = (typeof TIME_GROUPS)[number]

/** The longest range of a report: three years. */
export const MAX_REPORT_DAYS = 1_096

const TimeGroup = StringEnum(TIME_GROUPS, {
  title: 'TimeGroup',
  description:
    '`user`: the person whose time it is. `project`: the project in which the task is now. ' +
    '`tag`: each tag that the task has now. `day`: `spent_on`. `week`: from Monday to Sunday.',
})

const Total = (description: string) => Integer(0, Number.MAX_SAFE_INTEGER, { description })
const TIME_TOTALS = {
  seconds: Total('The time spent in seconds.'),
  billable_seconds: Total('How many of them are billable.'),
  entries: Total('The number of time entries.'),
}

const ofTag = (what: string) => `${what} Null for the time on tasks without tags.`

/** The columns of a row that each group adds. */
const TIME_ROW = {
  user_id: Optional(Id('usr', { description: 'The person whose time it is.' })),
  user_name: Optional(Type.String({ description: 'The name that the person has now.' })),
  project_id: Optional(Id('prj', { description: 'The project in which the tasks are now.' })),
  project_name: Optional(Type.String({ description: 'The name of the project.' })),
  tag_id: Optional(Nullable(Id('tag'), { description: ofTag('A tag of the tasks.') })),
  tag_name: Optional(Nullable(Type.String(), { description: ofTag('The name of the tag.') })),
  task_id: Optional(Id('tsk', { description: 'The task that the time was spent on.' })),
  task_short_id: Optional(
    Type.String({ description: 'The short id of the task.', examples: ['ENG-42'] }),
  ),
  task_title: Optional(Type.String({ description: 'The title of the task.' })),
  day: Optional(CalendarDay({ description: 'The day that the time counts for.' })),
  week: Optional(CalendarDay({ description: 'The Monday of the week.' })),
  month: Optional(CalendarDay({ description: 'The first day of the month.' })),
}

export type TimeReport = Static<typeof TimeReport>
const TimeReport = Type.Object(
  {
    spent_after: CalendarDay({ description: 'The first day of the report.' }),
    spent_before: CalendarDay({ description: 'The day after the last one.' }),
    group_by: List(TimeGroup, { description: 'What the rows are grouped by.' }),
    total: FieldOf(
      StrictObject(TIME_TOTALS, {
        title: 'TimeTotal',
        description: 'The sums of time entries, each counted once.',
      }),
      'The sums of all entries. An entry that counts in several rows, because its task has several tags, counts once.',
    ),
    rows: List(
      StrictObject(
        { ...TIME_ROW, ...TIME_TOTALS },
        {
          title: 'TimeReportRow',
          description:
            'The sums of one group, with the fields of what the report is grouped by, and no others.',
        },
      ),
      {
        description:
          'A row for each group that has time: by day, week or month, and then the longest first.',
      },
    ),
  },
  {
    title: 'TimeReport',
    description: 'Sums of time entries.',
    additionalProperties: false,
  },
)

const TimeEntryParams = PathId('tme')
const COMMON = { limit: 'workspace', tag: 'Time entries' } as const

/** The filters of every list of time entries. */
const TIME_ENTRY_FILTERS = {
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
}

const ENTRIES_OF_PROJECTS = CommaSeparated(Id('prj'), {
  description: 'Only time on tasks that are in one of these projects now.',
})
const ENTRIES_OF_TAGS = CommaSeparated(Id('tag'), {
  description: 'Only time on tasks that have one of these tags now.',
})

export const listTimeEntries = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/time-entries',
  scope: 'time_entries:read',
  operationId: 'listTimeEntries',
  summary: 'List the time entries of the workspace',
  description:
    'Of all tasks that you can see, running timers included. For sums, see `getTimeReport`.',
  query: ListQuery(['-spent_on'], {
    ...TIME_ENTRY_FILTERS,
    task_id: Optional(RequestId('tsk', { description: 'Only the time of this task.' })),
    project_id: ENTRIES_OF_PROJECTS,
  }),
  reply: PageOf(TimeEntry),
})

export const getTimeReport = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/reports/time',
  scope: 'time_entries:read',
  operationId: 'getTimeReport',
  summary: 'Report time',
  description:
    'Sums the finished time entries of all tasks that you can see; running timers do not count. ' +
    'Days are those of `spent_on`, which is a day in the time zone of the person, so there is no time zone to choose. ' +
    'With `Accept: text/csv` the reply is `rows` as CSV. ' +
    'To group by `user`, `project`, `tag` or `task`, the credential also needs the scope `members:read`, ' +
    '`projects:read`, `tags:read` or `tasks:read`, since rows have their names. ' +
    'More than 10,000 rows are 400.',
  query: StrictObject({
    group_by: CommaSeparated(TimeGroup, {
      maxItems: 3,
      description: 'Up to three. Without it there is one row, or none without time.',
    }),
    spent_after: Optional(
      CalendarDay({
        description:
          'Only time that counts for this day or a later one. Default: the first day of the month of the last day.',
      }),
    ),
    spent_before: Optional(
      CalendarDay({
        description:
          'Only time that counts for a day before this one, at most 1,096 days after `spent_after`. ' +
          'Default: the first day of next month, or of the month after `spent_after` if that is later.',
      }),
    ),
    user_id: CommaSeparated(WordOrId(['me'], 'usr'), {
      description: 'Only the time of these people. `me` is you.',
    }),
    project_id: ENTRIES_OF_PROJECTS,
    tag_id: ENTRIES_OF_TAGS,
    billable: TIME_ENTRY_FILTERS.billable,
  }),
  reply: TimeReport,
  csv: true,
  errors: ['insufficient_scope'],
  isReport: true,
})

export const listTaskTimeEntries = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/tasks/:id/time-entries',
  scope: 'time_entries:read',
  operationId: 'listTaskTimeEntries',
  summary: 'List the time entries of a task',
  description: 'Of all people, running timers included.',
  params: TaskPathId,
  query: ListQuery(['-spent_on', 'created_at'], TIME_ENTRY_FILTERS),
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

export const bulkTimeEntries = endpoint({
  ...COMMON,
  path: '/api/v1/time-entries/bulk',
  scope: 'time_entries:write',
  operationId: 'bulkTimeEntries',
  summary: 'Log, update and delete time entries in bulk',
  ...bulkWritesEndpoint(
    'tme',
    { name: 'TimeEntry', plural: 'TimeEntries' },
    { create: createTimeEntry, update: updateTimeEntry, delete: deleteTimeEntry },
    { task_id: IdReference('tsk', { description: 'The id of the task, or its short id.' }) },
    {
      create: 'Logs time on a task, or starts a timer.',
      update: 'Updates a time entry, or stops a timer.',
      delete: 'Deletes a time entry.',
    },
  ),
})
