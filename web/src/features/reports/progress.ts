import type { BurnUpReport, FlowReport } from '#resources/reports/contract.ts'
import { addDays, daysBetween, formatDay } from '../../lib/day.ts'
import { listed, number } from '../../messages/plural.ts'
import { m } from '../../messages/reports.ts'
import {
  type Figure,
  LEAST,
  type Mark,
  NONE,
  type Plotted,
  type Shape,
  type Shown,
  someOf,
  tenth,
} from './shown.ts'

const LABELS = 6

/** Scope and done, and where the last six weeks lead. */
export function burnUpShown({ days, forecast, assumed }: BurnUpReport): Shown {
  const lived = days.filter(({ scope }) => scope > 0).length
  const columns = [m.day, m.burnUp.scope, m.burnUp.done]
  const rows = days.map(({ day, scope, done }) => [day, scope, done])
  const base = { ...m.burnUp, unit: m.unit.tasks, columns, rows, figures: figuresOf(days) }
  const notes = [m.flow.now, ...(assumed > 0 ? [m.flow.assumed(assumed)] : [])]
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || lived < LEAST) {
    return { ...base, finding: lived === 0 ? m.none : m.few.days(lived), notes }
  }
  return {
    ...base,
    finding: burnUpFinding(first.scope, last, forecast),
    notes: forecast ? [m.burnUp.forecast, ...notes] : notes,
    plot: burnUpPlot(days, forecast),
  }
}

const WEEKS = 6

/** What is done of all, and how much was done and added in each of the last six weeks. */
function figuresOf(days: BurnUpReport['days']): Figure[] {
  const { done, pace, of, added } = m.figures
  const [then, last] = [days.at(-1 - 7 * WEEKS), days.at(-1)]
  const weekly = (what: 'done' | 'scope') =>
    tenth(((last?.[what] ?? 0) - (then?.[what] ?? 0)) / WEEKS)
  return [
    last
      ? { name: done, value: number(last.done), beside: of(number(last.scope)) }
      : { name: done, value: NONE },
    then
      ? { name: pace, value: weekly('done'), beside: added(weekly('scope')) }
      : { name: pace, value: NONE },
  ]
}

function burnUpFinding(
  before: number,
  { scope, done }: { scope: number; done: number },
  forecast: BurnUpReport['forecast'],
): string {
  const percent = before === 0 ? 0 : Math.round((Math.abs(scope - before) / before) * 100)
  const way = scope > before ? m.burnUp.grew(percent) : m.burnUp.shrank(percent)
  const what = before === 0 ? m.burnUp.began(scope) : percent === 0 ? m.burnUp.held(scope) : way
  if (scope > 0 && done >= scope) return m.burnUp.finished(what)
  if (!forecast) return what
  const { earliest, latest } = forecast
  if (!earliest) return m.burnUp.never(what)
  if (!latest) return m.burnUp.from(what, formatDay(earliest))
  return m.burnUp.between(what, formatDay(earliest), formatDay(latest))
}

/** How much of the width is for what is to come, where there is a forecast. */
const AHEAD = 0.3

function burnUpPlot(days: BurnUpReport['days'], forecast: BurnUpReport['forecast']): Plotted {
  const last = days.at(-1) ?? { day: '', scope: 0, done: 0 }
  const now = forecast ? 1 - AHEAD : 1
  const x = (n: number) => (n / Math.max(days.length - 1, 1)) * now
  const done = days.map(({ done }, n) => [x(n), done] as const)
  // A day is as wide after now as before.
  const ahead = forecast ? (AHEAD / now) * (days.length - 1) : 0
  const weeks = ahead / 7
  const to = (rate: number, from: number) => [
    [now, from] as const,
    [1, from + rate * weeks] as const,
  ]
  const cone = forecast ? to(forecast.fast, last.done) : []
  const shapes: Shape[] = [
    { look: 'area', line: done, down: done.map(([x]) => [x, 0]) },
    ...(forecast
      ? [
          { look: 'cone', line: cone, down: to(forecast.slow, last.done) },
          { look: 'fore', line: to((forecast.slow + forecast.fast) / 2, last.done) },
          { look: 'fore scope', line: to(forecast.scope, last.scope) },
          { look: 'now', line: [[now, 0] as const, [now, Number.POSITIVE_INFINITY] as const] },
        ]
      : []),
    { look: 'scope', line: days.map(({ scope }, n) => [x(n), scope]) },
    { look: 'done', line: done },
  ]
  const end = addDays(last.day, Math.round(ahead))
  const all = Array.from({ length: daysBetween(days[0]?.day ?? end, end) + 1 }, (_, n) =>
    addDays(days[0]?.day ?? end, n),
  )
  return {
    most: Math.max(...days.map(({ scope }) => scope)),
    tick: number,
    along: someOf(all, LABELS).map((day) => formatDay(day)),
    marks: days.map(({ day, scope, done }, n): Mark => {
      const behind = { after: day, before: addDays(day, 1) }
      return { x: x(n), told: m.burnUp.told(formatDay(day), scope, done), behind }
    }),
    shapes,
    ends: [
      { at: last.scope, text: m.burnUp.scopeEnd(last.scope) },
      {
        at: last.done,
        text: m.burnUp.doneEnd(last.done),
        more: m.burnUp.left(last.scope - last.done),
      },
    ],
  }
}

/** From the bottom of the chart up. Canceled tasks are in the table alone: they are no work. */
const BANDS = ['completed', 'started', 'unstarted', 'backlog'] as const
const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

/** Tasks by category, one above the other. */
export function flowShown({ days, assumed }: FlowReport): Shown {
  const total = (day: FlowReport['days'][number]) => BANDS.reduce((sum, band) => sum + day[band], 0)
  const lived = days.filter((day) => total(day) > 0).length
  const base = {
    ...{ name: m.flow.name, say: m.flow.say, unit: m.unit.tasks },
    columns: [m.day, ...CATEGORIES.map((category) => m.flow.categories[category])],
    rows: days.map((day) => [day.day, ...CATEGORIES.map((category) => day[category])]),
    notes: [m.flow.now, ...(assumed > 0 ? [m.flow.assumed(assumed)] : [])],
  }
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || lived < LEAST) {
    return { ...base, finding: lived === 0 ? m.none : m.few.days(lived) }
  }
  const started = days.map((day) => day.started)
  const queue = (day: FlowReport['days'][number]) => day.backlog + day.unstarted
  const more = queue(last) - queue(first)
  const hand = m.flow.steady(Math.min(...started), Math.max(...started))
  const x = (n: number) => n / Math.max(days.length - 1, 1)
  const upTo = (band: number) =>
    days.map((day, n) => {
      const sum = BANDS.slice(0, band).reduce((all, one) => all + day[one], 0)
      return [x(n), sum] as const
    })
  return {
    ...base,
    finding: m.flow.queue(hand, more > 0 ? 'grew' : more < 0 ? 'shrank' : 'held', queue(last)),
    plot: {
      most: Math.max(...days.map(total)),
      tick: number,
      along: someOf(days, LABELS).map(({ day }) => formatDay(day)),
      marks: days.map((day, n) => ({
        x: x(n),
        told: m.flow.told(
          formatDay(day.day),
          listed(BANDS.map((band) => m.flow.end(m.flow.categories[band], day[band]))),
        ),
        behind: { after: day.day, before: addDays(day.day, 1) },
      })),
      shapes: [
        ...BANDS.map((band, n) => ({ look: `band ${band}`, line: upTo(n + 1), down: upTo(n) })),
        { look: 'done', line: upTo(1) },
      ],
      ends: BANDS.map((band, n) => ({
        at: ((upTo(n).at(-1)?.[1] ?? 0) + (upTo(n + 1).at(-1)?.[1] ?? 0)) / 2,
        text: m.flow.end(m.flow.categories[band], last[band]),
      })),
    },
  }
}
