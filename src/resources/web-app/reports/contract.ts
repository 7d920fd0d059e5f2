import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  CalendarDay,
  CommaSeparated,
  Flag,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  PageOf,
  PagingQuery,
  type Static,
  StrictObject,
  Timestamp,
} from '#wire/schema-builders.ts'

/** The default range: 16 weeks. */
export const DEFAULT_REPORT_DAYS = 112
/** The most rows and points in a reply. The sums beside them always cover all of them. */
export const MAX_REPORT_ROWS = 1_000

const Count = Integer(0, Number.MAX_SAFE_INTEGER)
const COMMON = { method: 'GET', scope: 'session', limit: 'session', tag: 'Reports' } as const

const query = StrictObject({
  after: Optional(
    CalendarDay({ description: 'The first day; by default 112 days before `before`.' }),
  ),
  before: Optional(CalendarDay({ description: 'The day after the last; by default tomorrow.' })),
  project_id: CommaSeparated(Id('prj')),
  member_id: CommaSeparated(Id('usr'), {
    description: 'Assignees of the tasks; of time, those whose time it is.',
  }),
  tag_id: CommaSeparated(Id('tag')),
})

/** The days of a report, in the time zone of the user. */
export type ReportRange = Static<typeof ReportRange>
export const ReportRange = StrictObject({
  after: CalendarDay(),
  before: CalendarDay(),
  timezone: Type.String(),
})

/** A time entry with what a spreadsheet shows of its task. */
const ReportedTimeEntry = StrictObject(
  {
    id: Id('tme'),
    spent_on: CalendarDay(),
    user_id: Id('usr'),
    project_id: Id('prj'),
    short_id: Type.String({ description: 'That of the task.' }),
    title: Type.String({ description: 'That of the task.' }),
    tags: List(Type.String(), { description: 'The names of the tags of the task.' }),
    duration_seconds: Count,
    billable: Flag(),
    note: Nullable(Type.String()),
  },
  { title: 'ReportedTimeEntry' },
)

/** Numbers of tasks by the category of their status. */
export type CategoryCounts = Static<typeof CategoryCounts>
export const CategoryCounts = StrictObject({
  backlog: Count,
  unstarted: Count,
  started: Count,
  completed: Count,
  canceled: Count,
})

export type FlowReport = Static<typeof FlowReport>
const FlowReport = StrictObject({
  range: ReportRange,
  days: List(StrictObject({ day: CalendarDay(), ...CategoryCounts.properties }), {
    description: 'At the end of each day, or now; days to come are left out.',
  }),
  assumed: Integer(0, Number.MAX_SAFE_INTEGER, {
    description:
      'Completed or canceled tasks whose way is not in their activity: until then they count as unstarted.',
  }),
})

/** A forecast from the last six weeks. */
export type Forecast = Static<typeof Forecast>
export const Forecast = StrictObject({
  slow: Type.Number({ description: 'Done a week in the mean of the three weeks with least.' }),
  fast: Type.Number({ description: 'The same of the three with most.' }),
  scope: Type.Number({ description: 'Scope added a week, in the mean of all six.' }),
  earliest: Nullable(CalendarDay(), {
    description: 'Null where done never meets scope at that pace.',
  }),
  latest: Nullable(CalendarDay()),
})

export type BurnUpReport = Static<typeof BurnUpReport>
const BurnUpReport = StrictObject({
  range: ReportRange,
  days: List(StrictObject({ day: CalendarDay(), scope: Count, done: Count })),
  assumed: FlowReport.properties.assumed,
  forecast: Nullable(Forecast, {
    description:
      'Null for ranges that end before today, have no six weeks, or in which all is done.',
  }),
})

export type ThroughputReport = Static<typeof ThroughputReport>
const ThroughputReport = StrictObject({
  range: ReportRange,
  weeks: List(
    StrictObject({
      week: CalendarDay({ description: 'Its Monday.' }),
      days: Integer(1, 7, { description: 'How many of them are in the range and not to come.' }),
      created: Count,
      completed: Count,
    }),
  ),
})

const TASK_POINT = {
  id: Id('tsk'),
  short_id: Type.String(),
  title: Type.String(),
  completed_at: Timestamp(),
}

export type CycleReport = Static<typeof CycleReport>
const CycleReport = StrictObject({
  range: ReportRange,
  count: Count,
  unstarted_count: Integer(0, Number.MAX_SAFE_INTEGER, {
    description: 'Those that no activity shows in a started status: counted from their creation.',
  }),
  p50: Nullable(Count, { description: 'Seconds within which half of them were done.' }),
  p85: Nullable(Count),
  points: List(StrictObject({ ...TASK_POINT, seconds: Count, is_started: Flag() }), {
    description: 'The last that were completed.',
  }),
})

export type EstimateReport = Static<typeof EstimateReport>
const EstimateReport = StrictObject({
  range: ReportRange,
  count: Integer(0, Number.MAX_SAFE_INTEGER, {
    description: 'Tasks with an estimate that were completed.',
  }),
  over: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Those that took longer.' }),
  estimate_seconds: Count,
  time_spent_seconds: Count,
  points: List(
    StrictObject({ ...TASK_POINT, estimate_seconds: Count, time_spent_seconds: Count }),
    {
      description: 'The last that were completed.',
    },
  ),
})

export const timeEntriesReport = endpoint({
  ...COMMON,
  path: '/internal/reports/time-entries',
  summary: 'List the time entries of a range',
  description: 'Of entries with a duration, by the day they count for.',
  query: StrictObject({ ...query.properties, ...PagingQuery.properties }),
  reply: PageOf(ReportedTimeEntry),
  isReport: true,
})

export const burnUpReport = endpoint({
  ...COMMON,
  path: '/internal/reports/burn-up',
  summary: 'Report scope and what is done of it, day by day',
  description: 'Scope is every task that is not canceled. Deleted tasks count nowhere.',
  query,
  reply: BurnUpReport,
  isReport: true,
})

export const flowReport = endpoint({
  ...COMMON,
  path: '/internal/reports/flow',
  summary: 'Report tasks by category of their status, day by day',
  description:
    'From the activity of the tasks that are there now, with the members, tags and project that they have now.',
  query,
  reply: FlowReport,
  isReport: true,
})

export const throughputReport = endpoint({
  ...COMMON,
  path: '/internal/reports/throughput',
  summary: 'Report tasks created and completed by week',
  description: 'By `created_at` and `completed_at`: of a task that was reopened, the last time.',
  query,
  reply: ThroughputReport,
  isReport: true,
})

export const cycleReport = endpoint({
  ...COMMON,
  path: '/internal/reports/cycle-time',
  summary: 'Report how long tasks took from their first start until they were completed',
  query,
  reply: CycleReport,
  isReport: true,
})

export const estimateReport = endpoint({
  ...COMMON,
  path: '/internal/reports/estimates',
  summary: 'Report the time spent on completed tasks against their estimates',
  query,
  reply: EstimateReport,
  isReport: true,
})
