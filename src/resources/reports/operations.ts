import { invalidParameter } from '#core/refusal.ts'
import type { Asked, Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { addDays, dayIn, dayNumber, daysBetween } from '#lib/days.ts'
import {
  type burnUpReport,
  type cycleReport,
  type estimateReport,
  type FlowReport,
  type flowReport,
  MOST_DAYS,
  MOST_ROWS,
  type Range,
  type ThroughputReport,
  type throughputReport,
  type timeReport,
  USUAL_DAYS,
} from './contract.ts'
import { cycleTimes, estimated } from './cycle-store.ts'
import { daysOf, placesOf } from './days.ts'
import { flowOf } from './flow.ts'
import { forecastOf } from './forecast.ts'
import { countedIn, stepsOf } from './store.ts'
import { timeSpent } from './time-store.ts'

type Query = Asked<typeof flowReport>['query']

/** The days asked for. Refuses a range that ends before it begins, or is longer than three years. */
function rangeOf(tx: ReadTx, { after, before }: Query): Range {
  const { timezone } = tx.actor
  const end = before ?? addDays(dayIn(timezone, tx.now), 1)
  const range = { after: after ?? addDays(end, -USUAL_DAYS), before: end, timezone }
  const days = daysBetween(range.after, range.before)
  if (days < 1) throw invalidParameter('before', 'before must be later than after.')
  if (days > MOST_DAYS) {
    throw invalidParameter('after', `A report is of at most ${MOST_DAYS} days: ask for less.`)
  }
  return range
}

const filtersOf = ({ project_id, member_id, tag_id }: Query) => ({
  shape: { projects: !!project_id, members: !!member_id, tags: !!tag_id },
  lists: {
    project_ids: project_id ?? [],
    member_ids: member_id ?? [],
    tag_ids: tag_id ?? [],
  },
})

/** What the statements about tasks are given, and how their parts become days. */
function askedOf(tx: ReadTx, query: Query) {
  const range = rangeOf(tx, query)
  const days = daysOf(range)
  const { shape, lists } = filtersOf(query)
  return {
    range,
    days: days.days,
    place: placesOf(days, range),
    shape: { ...shape, cuts: days.times.length },
    values: { ...lists, ...days.cuts, since: days.since, until: days.until },
  }
}

export const time: Operation<typeof timeReport> = async (tx, _, { query }) => {
  const range = rangeOf(tx, query)
  const { shape, lists } = filtersOf(query)
  const { after, before } = range
  const found = await tx.all(timeSpent(shape), { ...lists, after, before, most: MOST_ROWS })
  const [first] = found
  return {
    range,
    seconds: first?.all_seconds ?? 0,
    billable_seconds: first?.all_billable_seconds ?? 0,
    row_count: first?.row_count ?? 0,
    rows: found.map(({ user_id, project_id, seconds, billable_seconds, entries }) => {
      return { user_id, project_id, seconds, billable_seconds, entries }
    }),
  }
}

async function readFlow(tx: ReadTx, query: Query): Promise<FlowReport> {
  const { range, days, place, shape, values } = askedOf(tx, query)
  const steps = await tx.all(stepsOf(shape), values)
  const today = dayIn(range.timezone, tx.now)
  const counts = flowOf(days.length, place, steps)
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

export const flow: Operation<typeof flowReport> = (tx, _, { query }) => readFlow(tx, query)

export const burnUp: Operation<typeof burnUpReport> = async (tx, _, { query }) => {
  const { range, days: flows, assumed } = await readFlow(tx, query)
  const days = flows.map(({ day, backlog, unstarted, started, completed }) => {
    return { day, scope: backlog + unstarted + started + completed, done: completed }
  })
  const isNow = range.before > dayIn(range.timezone, tx.now)
  return { range, days, assumed, forecast: isNow ? forecastOf(days) : null }
}

export const throughput: Operation<typeof throughputReport> = async (tx, _, { query }) => {
  const { range, days, place, shape, values } = askedOf(tx, query)
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
      countedIn({ ...shape, what: `${what}_at` }),
      values,
    )) {
      const one = weeks.get(mondayOf(days[place(part)] ?? range.after))
      if (one) one[what] += count
    }
  }
  return { range, weeks: [...weeks.values()] }
}

/** Day 0 was a Thursday. */
const mondayOf = (day: string): string => addDays(day, -((dayNumber(day) + 3) % 7))

export const cycle: Operation<typeof cycleReport> = async (tx, _, { query }) => {
  const { range, shape, values } = askedOf(tx, query)
  const rows = await tx.all(cycleTimes(shape), { ...values, most: MOST_ROWS })
  const { count = 0, unstarted_count = 0, p50 = null, p85 = null } = rows[0] ?? {}
  const points = rows.flatMap((row) => {
    if (row.id === null) return []
    const { id, short_id, title, completed_at, seconds } = row
    return [{ id, short_id, title, completed_at, seconds, is_started: row.is_started === 1 }]
  })
  return { range, count, unstarted_count, p50, p85, points }
}

export const estimates: Operation<typeof estimateReport> = async (tx, _, { query }) => {
  const { range, shape, values } = askedOf(tx, query)
  const rows = await tx.all(estimated(shape), { ...values, most: MOST_ROWS })
  const { count = 0, over = 0, estimate_sum = 0, spent_sum = 0 } = rows[0] ?? {}
  const points = rows.flatMap((row) => {
    if (row.id === null) return []
    const { id, short_id, title, completed_at, estimate_seconds, time_spent_seconds } = row
    return [{ id, short_id, title, completed_at, estimate_seconds, time_spent_seconds }]
  })
  return {
    ...{ range, count, over, points },
    ...{ estimate_seconds: estimate_sum, time_spent_seconds: spent_sum },
  }
}
