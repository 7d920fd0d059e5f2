import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Day,
  Fields,
  Flag,
  Id,
  List,
  Nullable,
  OneOrMore,
  Optional,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

/** So many days a report can be of: three years. */
export const MOST_DAYS = 1_096
/** Without a range it is of the last 16 weeks. */
export const USUAL_DAYS = 112
/** So many rows and points an answer has at most; the figures beside them are of all. */
export const MOST_ROWS = 1_000

const Count = Whole(0, Number.MAX_SAFE_INTEGER)
const common = { method: 'GET', scope: 'session', limit: 'session', tag: 'Reports' } as const
const far = 'long' as const

const query = Fields({
  after: Optional(Day({ description: 'The first day; by default 112 days before `before`.' })),
  before: Optional(Day({ description: 'The day after the last; by default tomorrow.' })),
  project_id: OneOrMore(Id('prj')),
  member_id: OneOrMore(Id('usr'), 50, {
    description: 'Assignees of the tasks; of time, those whose time it is.',
  }),
  tag_id: OneOrMore(Id('tag')),
})

/** What a report is of: days as they are in the zone of the person. */
export type Range = Static<typeof Range>
export const Range = Fields({
  after: Day(),
  before: Day(),
  timezone: Type.String(),
})

export type TimeReport = Static<typeof TimeReport>
const TimeReport = Fields({
  range: Range,
  seconds: Count,
  billable_seconds: Count,
  rows: List(
    Fields({
      user_id: Id('usr'),
      project_id: Id('prj'),
      seconds: Count,
      billable_seconds: Count,
      entries: Count,
    }),
    { description: 'The longest first.' },
  ),
  row_count: Count,
})

/** Tasks by the category of their status. */
export type Categories = Static<typeof Categories>
export const Categories = Fields({
  backlog: Count,
  unstarted: Count,
  started: Count,
  completed: Count,
  canceled: Count,
})

export type FlowReport = Static<typeof FlowReport>
const FlowReport = Fields({
  range: Range,
  days: List(Fields({ day: Day(), ...Categories.properties }), {
    description: 'At the end of each day, or now; days to come are left out.',
  }),
  assumed: Whole(0, Number.MAX_SAFE_INTEGER, {
    description:
      'Completed or canceled tasks whose way is not in their activity: until then they count as unstarted.',
  }),
})

/** Where the last six weeks lead. */
export type Forecast = Static<typeof Forecast>
export const Forecast = Fields({
  slow: Type.Number({ description: 'Done a week in the mean of the three weeks with least.' }),
  fast: Type.Number({ description: 'The same of the three with most.' }),
  scope: Type.Number({ description: 'Scope added a week, in the mean of all six.' }),
  earliest: Nullable(Day(), { description: 'Null where done never meets scope at that pace.' }),
  latest: Nullable(Day()),
})

export type BurnUpReport = Static<typeof BurnUpReport>
const BurnUpReport = Fields({
  range: Range,
  days: List(Fields({ day: Day(), scope: Count, done: Count })),
  assumed: FlowReport.properties.assumed,
  forecast: Nullable(Forecast, {
    description:
      'Null for ranges that end before today, have no six weeks, or in which all is done.',
  }),
})

export type ThroughputReport = Static<typeof ThroughputReport>
const ThroughputReport = Fields({
  range: Range,
  weeks: List(
    Fields({
      week: Day({ description: 'Its Monday.' }),
      days: Whole(1, 7, { description: 'How many of them are in the range and not to come.' }),
      created: Count,
      completed: Count,
    }),
  ),
})

const Point = {
  id: Id('tsk'),
  short_id: Type.String(),
  title: Type.String(),
  completed_at: Timestamp(),
}

export type CycleReport = Static<typeof CycleReport>
const CycleReport = Fields({
  range: Range,
  count: Count,
  unstarted_count: Whole(0, Number.MAX_SAFE_INTEGER, {
    description: 'Those that no activity shows in a started status: counted from their creation.',
  }),
  p50: Nullable(Count, { description: 'Seconds within which half of them were done.' }),
  p85: Nullable(Count),
  points: List(Fields({ ...Point, seconds: Count, is_started: Flag() }), {
    description: 'The last that were completed.',
  }),
})

export type EstimateReport = Static<typeof EstimateReport>
const EstimateReport = Fields({
  range: Range,
  count: Whole(0, Number.MAX_SAFE_INTEGER, {
    description: 'Tasks with an estimate that were completed.',
  }),
  over: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Those that took longer.' }),
  estimate_seconds: Count,
  time_spent_seconds: Count,
  points: List(Fields({ ...Point, estimate_seconds: Count, time_spent_seconds: Count }), {
    description: 'The last that were completed.',
  }),
})

export const timeReport = endpoint({
  ...common,
  path: '/internal/reports/time',
  summary: 'Report time by member and project',
  description: 'Of entries with a duration, by the day they count for.',
  query,
  reply: TimeReport,
  far,
})

export const burnUpReport = endpoint({
  ...common,
  path: '/internal/reports/burn-up',
  summary: 'Report scope and what is done of it, day by day',
  description: 'Scope is every task that is not canceled. Deleted tasks count nowhere.',
  query,
  reply: BurnUpReport,
  far,
})

export const flowReport = endpoint({
  ...common,
  path: '/internal/reports/flow',
  summary: 'Report tasks by category of their status, day by day',
  description:
    'From the activity of the tasks that are there now, with the members, tags and project that they have now.',
  query,
  reply: FlowReport,
  far,
})

export const throughputReport = endpoint({
  ...common,
  path: '/internal/reports/throughput',
  summary: 'Report tasks created and completed by week',
  description: 'By `created_at` and `completed_at`: of a task that was reopened, the last time.',
  query,
  reply: ThroughputReport,
  far,
})

export const cycleReport = endpoint({
  ...common,
  path: '/internal/reports/cycle-time',
  summary: 'Report how long tasks took from their first start until they were completed',
  query,
  reply: CycleReport,
  far,
})

export const estimateReport = endpoint({
  ...common,
  path: '/internal/reports/estimates',
  summary: 'Report the time spent on completed tasks against their estimates',
  query,
  reply: EstimateReport,
  far,
})
