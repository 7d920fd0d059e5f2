import type { CycleReport, EstimateReport, ThroughputReport } from '#resources/reports/contract.ts'
import { addDays, dayOf, daysBetween, formatDay } from '../../lib/day.ts'
import { clockOf } from '../../lib/duration.ts'
import { number } from '../../messages/plural.ts'
import { m } from '../../messages/reports.ts'
import { LEAST, NONE, type Shape, type Shown, someOf, tenth } from './shown.ts'

const LABELS = 6
const DAY = 86_400
const HOUR = 3_600

/** "5 h" below a day, else "3.1 d". */
const spell = (seconds: number): string =>
  seconds < DAY ? m.cycle.hours(tenth(seconds / HOUR)) : m.cycle.days(tenth(seconds / DAY))

/** Tasks completed by week, as bars, and the line of those created. */
export function throughputShown({ weeks }: ThroughputReport): Shown {
  const { name, say, ...t } = m.throughput
  const base = {
    ...{ name, say, unit: m.unit.tasks, notes: [] },
    columns: [m.week, t.completed, t.created, t.days],
    rows: weeks.map(({ week, completed, created, days }) => [week, completed, created, days]),
  }
  if (weeks.every(({ completed, created }) => completed + created === 0)) {
    return { ...base, finding: m.none }
  }
  if (weeks.length < LEAST) return { ...base, finding: m.few.weeks(weeks.length) }
  const whole = weeks.filter(({ days }) => days === 7)
  const mean = (what: 'completed' | 'created') =>
    tenth(whole.reduce((sum, week) => sum + week[what], 0) / Math.max(whole.length, 1))
  const x = (n: number) => (n + 0.5) / weeks.length
  const half = 0.36 / weeks.length
  const bar = (n: number, value: number): Shape => ({
    look: 'bar',
    line: [
      [x(n) - half, value],
      [x(n) + half, value],
    ],
    down: [
      [x(n) - half, 0],
      [x(n) + half, 0],
    ],
  })
  const last = weeks.at(-1)
  return {
    ...base,
    finding: t.found(mean('completed'), mean('created')),
    plot: {
      most: Math.max(...weeks.map(({ completed, created }) => Math.max(completed, created))),
      tick: number,
      along: someOf(weeks, LABELS).map(({ week }) => formatDay(week)),
      marks: weeks.map(({ week, completed, created, days }, n) => {
        const told = t.told(formatDay(week), completed, created)
        return {
          x: x(n),
          told: days < 7 ? `${told} (${t.part(days)})` : told,
          behind: { after: week, before: addDays(week, 7) },
        }
      }),
      shapes: [
        ...weeks.map(({ completed }, n) => bar(n, completed)),
        { look: 'scope', line: weeks.map(({ created }, n) => [x(n), created]) },
      ],
      ends: last
        ? [
            { at: last.created, text: m.flow.end(t.created, last.created) },
            { at: last.completed / 2, text: m.flow.end(t.completed, last.completed) },
          ]
        : [],
    },
  }
}

/** How long each task took, by the day of its completion; half and 85 % as lines. */
export function cycleShown({
  range,
  count,
  unstarted_count,
  p50,
  p85,
  points,
}: CycleReport): Shown {
  const { name, say, ...t } = m.cycle
  const shown = points.toReversed()
  const base = {
    ...{ name, say, unit: m.unit.days },
    figures: [
      p50 === null || p85 === null
        ? { name: m.figures.half, value: NONE }
        : { name: m.figures.half, value: spell(p50), beside: m.figures.most(spell(p85)) },
    ],
    notes: [
      ...(unstarted_count > 0 ? [t.unstarted(unstarted_count)] : []),
      ...(count > points.length ? [m.cut(points.length, count)] : []),
    ],
    columns: [t.task, t.what, t.completed, t.took, t.from],
    rows: shown.map(({ short_id, title, completed_at, seconds, is_started }) => [
      ...[short_id, title, dayOf(completed_at), Math.round((seconds / DAY) * 100) / 100],
      is_started ? t.start : t.creation,
    ]),
  }
  if (count < LEAST || p50 === null || p85 === null) {
    return { ...base, finding: count === 0 ? m.none : m.few.tasks(count) }
  }
  const [days, from] = [daysBetween(range.after, range.before), range.after]
  const all = Array.from({ length: days }, (_, n) => addDays(from, n))
  const level = (look: string, seconds: number): Shape => ({
    look,
    line: [
      [0, seconds / DAY],
      [1, seconds / DAY],
    ],
  })
  return {
    ...base,
    finding: t.found(spell(p50), spell(p85)),
    plot: {
      most: Math.max(...points.map(({ seconds }) => seconds)) / DAY,
      tick: tenth,
      along: someOf(all, LABELS).map((day) => formatDay(day)),
      marks: shown.map(({ short_id, title, completed_at, seconds }) => {
        const day = dayOf(completed_at)
        return {
          x: (daysBetween(from, day) + 0.5) / days,
          y: seconds / DAY,
          told: t.told(short_id, title, spell(seconds), formatDay(day)),
          behind: { short_id },
        }
      }),
      shapes: [level('done', p50), level('scope', p85)],
      ends: [
        { at: p85 / DAY, text: t.most(spell(p85)) },
        { at: p50 / DAY, text: t.half(spell(p50)) },
      ],
    },
  }
}

/** What completed tasks took, against their estimates; as estimated they would stand on the line. */
export function estimatesShown({ points, ...all }: EstimateReport): Shown {
  const { name, say, ...t } = m.estimates
  const { count, over, estimate_seconds, time_spent_seconds } = all
  const shown = points.toSorted((a, b) => a.estimate_seconds - b.estimate_seconds)
  const base = {
    ...{ name, say, unit: m.unit.time },
    figures: [
      count === 0
        ? { name: m.figures.spent, value: NONE }
        : {
            name: m.figures.spent,
            value: m.cycle.hours(number(Math.round(time_spent_seconds / HOUR))),
            beside: m.figures.of(m.cycle.hours(number(Math.round(estimate_seconds / HOUR)))),
          },
    ],
    notes: count > points.length ? [m.cut(points.length, count)] : [],
    columns: [m.cycle.task, m.cycle.what, t.estimate, t.spent],
    rows: shown.map(({ short_id, title, ...of }) => [
      ...[short_id, title, clockOf(of.estimate_seconds), clockOf(of.time_spent_seconds)],
    ]),
  }
  if (count < LEAST) return { ...base, finding: count === 0 ? m.none : m.few.estimated(count) }
  const percent = Math.round((time_spent_seconds / estimate_seconds - 1) * 100)
  const what = percent === 0 ? t.same : percent > 0 ? t.longer(percent) : t.shorter(-percent)
  const widest = Math.max(...points.map((point) => point.estimate_seconds)) / HOUR
  const most = Math.max(widest, ...points.map((point) => point.time_spent_seconds / HOUR))
  return {
    ...base,
    finding: t.over(what, over, count),
    plot: {
      most,
      tick: tenth,
      along: Array.from({ length: 5 }, (_, n) => `${tenth((widest * n) / 4)} h`),
      marks: shown.map((point) => ({
        x: point.estimate_seconds / HOUR / widest,
        y: point.time_spent_seconds / HOUR,
        told: t.told(
          ...([point.short_id, point.title] as const),
          clockOf(point.time_spent_seconds),
          clockOf(point.estimate_seconds),
        ),
        behind: { short_id: point.short_id },
      })),
      shapes: [
        {
          look: 'scope',
          line: [
            [0, 0],
            [1, widest],
          ],
        },
      ],
      ends: [{ at: widest, text: t.asEstimated }],
    },
  }
}
