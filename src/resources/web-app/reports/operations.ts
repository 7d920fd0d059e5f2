import type { Operation, OperationInput } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toPageWindow } from '#db/core/pagination.ts'
import { addDays, dayIn, mondayOf } from '#lib/days.ts'
import { assertReportRange } from '#resources/time-entries/report.ts'
import { selectReportedEntries } from '#resources/time-entries/report-store.ts'
import {
  type BurnUpReport,
  type burnUpReport,
  type CategoryCounts,
  type cycleReport,
  DEFAULT_REPORT_DAYS,
  type estimateReport,
  type FlowReport,
  type Forecast,
  type flowReport,
  MAX_REPORT_ROWS,
  type ReportRange,
  type ThroughputReport,
  type throughputReport,
  type timeEntriesReport,
} from './contract.ts'
import { selectCycleTimes, selectEstimates } from './cycle-store.ts'
import { buildReportDays, createDayLocator } from './report-days.ts'
import { type FlowStep, selectFlowSteps, selectTaskCounts, type TaskCategory } from './store.ts'

const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

/**
 * Tasks by category at the end of each day, reconstructed backwards from the present. A task counts
 * with its present category from the day of its creation, and each change is undone for the days
 * before it.
 */
function computeFlow(
  count: number,
  dayIndexOf: (part: string) => number,
  steps: readonly FlowStep[],
): CategoryCounts[] {
  const changesByDay: CategoryCounts[] = Array.from({ length: count + 1 }, () => ({
    ...ZERO_COUNTS,
  }))
  const add = (part: string, category: TaskCategory, tasks: number) => {
    const step = changesByDay[Math.min(Math.max(dayIndexOf(part), 0), count)]
    if (step) step[category] += tasks
  }
  for (const { by, part, was, became, count: tasks } of steps) {
    const sign = by === 'made' ? -tasks : tasks
    add(part, became, sign)
    if (was) add(part, was, -sign)
  }
  const totals = { ...ZERO_COUNTS }
  return changesByDay.slice(0, count).map((step) => {
    for (const name of CATEGORIES) totals[name] += step[name]
    return { ...totals }
  })
}

const ZERO_COUNTS: CategoryCounts = {
  backlog: 0,
  unstarted: 0,
  started: 0,
  completed: 0,
  canceled: 0,
}

type ReportQuery = OperationInput<typeof flowReport>['query']

/** The range of the report. 400 if it is empty or longer than three years. */
function resolveRange(tx: ReadTx, { after, before }: ReportQuery): ReportRange {
  const { timezone } = tx.actor
  const end = before ?? addDays(dayIn(timezone, tx.now), 1)
  const range = { after: after ?? addDays(end, -DEFAULT_REPORT_DAYS), before: end, timezone }
  assertReportRange(range.after, range.before, ['after', 'before'])
  return range
}

const toFilters = ({ project_id, member_id, tag_id }: ReportQuery) => ({
  shape: { projects: !!project_id, members: !!member_id, tags: !!tag_id },
  lists: {
    project_ids: project_id ?? [],
    member_ids: member_id ?? [],
    tag_ids: tag_id ?? [],
  },
})

/** The parameters of the statements, and the function that maps their slots to days. */
function reportInput(tx: ReadTx, query: ReportQuery) {
  const range = resolveRange(tx, query)
  const days = buildReportDays(range)
  const { shape, lists } = toFilters(query)
  return {
    range,
    days: days.days,
    dayIndexOf: createDayLocator(days, range),
    shape: { ...shape, cuts: days.times.length },
    values: { ...lists, ...days.cuts, since: days.since, until: days.until },
  }
}

export const readTimeEntries: Operation<typeof timeEntriesReport> = async (
  tx,
  _,
  { query, page },
) => {
  const { after, before } = resolveRange(tx, query)
  const {
    shape: { members: users, ...shape },
    lists: { member_ids: user_ids, ...lists },
  } = toFilters(query)
  const continued = page.after !== undefined
  const entries = selectReportedEntries({ users, ...shape, billable: false, continued })
  // SQLite begins at the first day, not at the cursor, so each page would read those before it again.
  const first = page.after ? String(page.after[0]) : after
  const values = { ...lists, user_ids, after: first, before, billable: 0 }
  return page.toPage(await tx.all(entries, { ...toPageWindow(page), ...values }))
}

async function computeFlowReport(tx: ReadTx, query: ReportQuery): Promise<FlowReport> {
  const { range, days, dayIndexOf, shape, values } = reportInput(tx, query)
  const steps = await tx.all(selectFlowSteps(shape), values)
  const today = dayIn(range.timezone, tx.now)
  const counts = computeFlow(days.length, dayIndexOf, steps)
  return {
    range,
    days: counts.flatMap((count, n) => {
      const day = days[n] ?? ''
      return day > today ? [] : [{ day, ...count }]
    }),
    assumed: steps
      .filter(({ by, assumed }) => by === 'moved' && assumed === 1)
      .reduce((sum, { count }) => sum + count, 0),
  }
}

export const readFlowReport: Operation<typeof flowReport> = (tx, _, { query }) =>
  computeFlowReport(tx, query)

export const readBurnUpReport: Operation<typeof burnUpReport> = async (tx, _, { query }) => {
  const { range, days: flows, assumed } = await computeFlowReport(tx, query)
  const days = flows.map(({ day, backlog, unstarted, started, completed }) => {
    return { day, scope: backlog + unstarted + started + completed, done: completed }
  })
  const includesToday = range.before > dayIn(range.timezone, tx.now)
  return { range, days, assumed, forecast: includesToday ? computeForecast(days) : null }
}

export const readThroughputReport: Operation<typeof throughputReport> = async (
  tx,
  _,
  { query },
) => {
  const { range, days, dayIndexOf, shape, values } = reportInput(tx, query)
  const today = dayIn(range.timezone, tx.now)
  const weeks = new Map<string, ThroughputReport['weeks'][number]>()
  for (const day of days) {
    if (day > today) break
    const week = mondayOf(day)
    const one = weeks.get(week) ?? { week, days: 0, created: 0, completed: 0 }
    weeks.set(week, { ...one, days: one.days + 1 })
  }
  for (const what of ['created', 'completed'] as const) {
    for (const { part, count } of await tx.all(
      selectTaskCounts({ ...shape, what: `${what}_at` }),
      values,
    )) {
      const one = weeks.get(mondayOf(days[dayIndexOf(part)] ?? range.after))
      if (one) one[what] += count
    }
  }
  return { range, weeks: [...weeks.values()] }
}

export const readCycleReport: Operation<typeof cycleReport> = async (tx, _, { query }) => {
  const { range, shape, values } = reportInput(tx, query)
  const rows = await tx.all(selectCycleTimes(shape), { ...values, most: MAX_REPORT_ROWS })
  const { count = 0, unstarted_count = 0, p50 = null, p85 = null } = rows[0] ?? {}
  const points = rows.flatMap((row) => {
    if (row.id === null) return []
    const { id, short_id, title, completed_at, seconds } = row
    return [{ id, short_id, title, completed_at, seconds, is_started: row.is_started === 1 }]
  })
  return { range, count, unstarted_count, p50, p85, points }
}

export const readEstimateReport: Operation<typeof estimateReport> = async (tx, _, { query }) => {
  const { range, shape, values } = reportInput(tx, query)
  const rows = await tx.all(selectEstimates(shape), { ...values, most: MAX_REPORT_ROWS })
  const { count = 0, over = 0, estimate_sum = 0, spent_sum = 0 } = rows[0] ?? {}
  const points = rows.flatMap((row) => {
    if (row.id === null) return []
    const { id, short_id, title, completed_at, estimate_seconds, time_spent_seconds } = row
    return [{ id, short_id, title, completed_at, estimate_seconds, time_spent_seconds }]
  })
  return {
    range,
    count,
    over,
    points,
    estimate_seconds: estimate_sum,
    time_spent_seconds: spent_sum,
  }
}

const WEEKS = 6
const SAMPLE_WEEKS = 3
/** Forecasts beyond ten years are left out. */
const MAX_FORECAST_WEEKS = 520

/**
 * Extrapolates the last six weeks: completion at the mean rate of the three slowest or the three
 * fastest weeks, scope at the mean rate of all. Null with less than six weeks, or if all is done.
 */
function computeForecast(days: BurnUpReport['days']): Forecast | null {
  const last = days.at(-1)
  const weeks = Array.from({ length: WEEKS + 1 }, (_, n) => days.at(-1 - 7 * (WEEKS - n)))
  const first = weeks[0]
  if (!last || !first || last.done >= last.scope) return null
  const rates = weeks.slice(1).map((week, n) => (week?.done ?? 0) - (weeks[n]?.done ?? 0))
  const sorted = rates.toSorted((a, b) => a - b)
  const slow = mean(sorted.slice(0, SAMPLE_WEEKS))
  const fast = mean(sorted.slice(-SAMPLE_WEEKS))
  const scope = (last.scope - first.scope) / WEEKS
  const dateAtRate = (rate: number) => {
    const weeksLeft = (last.scope - last.done) / (rate - scope)
    return rate > scope && weeksLeft <= MAX_FORECAST_WEEKS
      ? addDays(last.day, Math.ceil(weeksLeft * 7))
      : null
  }
  return { slow, fast, scope, earliest: dateAtRate(fast), latest: dateAtRate(slow) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
