import type { BurnUpReport, FlowReport } from '#resources/web-app/reports/contract.ts'
import { addDaysToDate, countDaysBetween, formatDay } from '../../lib/dates/plain-date.ts'
import { formatList, formatNumber } from '../../messages/plural.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import {
  type ChartData,
  type ChartPoint,
  type ChartShape,
  formatTenth,
  type KeyFigure,
  MIN_CHART_POINTS,
  NO_VALUE,
  type ReportView,
  sampleEvenly,
} from './report-view.ts'

const MAX_X_LABELS = 6

/** The burn-up report: scope and completed tasks, and a forecast from the last six weeks. */
export function toBurnUpView({ days, forecast, assumed }: BurnUpReport): ReportView {
  const activeDays = days.filter(({ scope }) => scope > 0).length
  const columns = [reportMessages.day, reportMessages.burnUp.scope, reportMessages.burnUp.done]
  const rows = days.map(({ day, scope, done }) => [day, scope, done])
  const base = {
    ...reportMessages.burnUp,
    unit: reportMessages.unit.tasks,
    columns,
    rows,
    figures: buildFigures(days),
  }
  const notes = [
    reportMessages.flow.now,
    ...(assumed > 0 ? [reportMessages.flow.assumed(assumed)] : []),
  ]
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || activeDays < MIN_CHART_POINTS) {
    return {
      ...base,
      finding: activeDays === 0 ? reportMessages.none : reportMessages.few.days(activeDays),
      notes,
    }
  }
  return {
    ...base,
    finding: describeBurnUp(first.scope, last, forecast),
    notes: forecast ? [reportMessages.burnUp.forecast, ...notes] : notes,
    chart: buildBurnUpChart(days, forecast),
  }
}

const PACE_WEEKS = 6

/** The completed total, and the mean number completed and added per week over six weeks. */
function buildFigures(days: BurnUpReport['days']): KeyFigure[] {
  const { done, pace, of, added } = reportMessages.figures
  const [start, last] = [days.at(-1 - 7 * PACE_WEEKS), days.at(-1)]
  const weeklyMean = (field: 'done' | 'scope') =>
    formatTenth(((last?.[field] ?? 0) - (start?.[field] ?? 0)) / PACE_WEEKS)
  return [
    last
      ? { name: done, value: formatNumber(last.done), note: of(formatNumber(last.scope)) }
      : { name: done, value: NO_VALUE },
    start
      ? { name: pace, value: weeklyMean('done'), note: added(weeklyMean('scope')) }
      : { name: pace, value: NO_VALUE },
  ]
}

function describeBurnUp(
  before: number,
  { scope, done }: { scope: number; done: number },
  forecast: BurnUpReport['forecast'],
): string {
  const percent = before === 0 ? 0 : Math.round((Math.abs(scope - before) / before) * 100)
  const change =
    scope > before ? reportMessages.burnUp.grew(percent) : reportMessages.burnUp.shrank(percent)
  const summary =
    before === 0
      ? reportMessages.burnUp.began(scope)
      : percent === 0
        ? reportMessages.burnUp.held(scope)
        : change
  if (scope > 0 && done >= scope) return reportMessages.burnUp.finished(summary)
  if (!forecast) return summary
  const { earliest, latest } = forecast
  if (!earliest) return reportMessages.burnUp.never(summary)
  if (!latest) return reportMessages.burnUp.from(summary, formatDay(earliest))
  return reportMessages.burnUp.between(summary, formatDay(earliest), formatDay(latest))
}

/** The share of the chart width that a forecast takes: more if the promised days are further away. */
const MIN_FORECAST_WIDTH = 0.3
const MAX_FORECAST_WIDTH = 0.6

function buildBurnUpChart(
  days: BurnUpReport['days'],
  forecast: BurnUpReport['forecast'],
): ChartData {
  const last = days.at(-1) ?? { day: '', scope: 0, done: 0 }
  const pastDays = days.length - 1
  const until = forecast?.latest ?? forecast?.earliest
  const daysLeft = until ? countDaysBetween(last.day, until) : 0
  const reaching = daysLeft / Math.max(daysLeft + pastDays, 1)
  const width = Math.min(Math.max(reaching, MIN_FORECAST_WIDTH), MAX_FORECAST_WIDTH)
  const now = forecast ? 1 - width : 1
  const x = (n: number) => (n / Math.max(pastDays, 1)) * now
  const done = days.map(({ done }, n) => [x(n), done] as const)
  // A day of the forecast is as wide as a day of the past.
  const forecastDays = forecast ? (width / now) * pastDays : 0
  const forecastWeeks = forecastDays / 7
  const projectLine = (rate: number, from: number) => [
    [now, from] as const,
    [1, from + rate * forecastWeeks] as const,
  ]
  const fastest = forecast ? projectLine(forecast.fast, last.done) : []
  const doneAhead = forecast ? projectLine((forecast.slow + forecast.fast) / 2, last.done) : []
  const scopeAhead = forecast ? projectLine(forecast.scope, last.scope) : []
  // A label stands where its line ends.
  const scopeEnd = scopeAhead.at(-1)?.[1]
  const shapes: ChartShape[] = [
    { className: 'area', points: done, baseline: done.map(([x]) => [x, 0]) },
    ...(forecast
      ? [
          { className: 'cone', points: fastest, baseline: projectLine(forecast.slow, last.done) },
          { className: 'fore', points: doneAhead },
          { className: 'fore scope', points: scopeAhead },
          {
            className: 'now',
            points: [[now, 0] as const, [now, Number.POSITIVE_INFINITY] as const],
          },
        ]
      : []),
    { className: 'scope', points: days.map(({ scope }, n) => [x(n), scope]) },
    { className: 'done', points: done },
  ]
  const end = addDaysToDate(last.day, Math.round(forecastDays))
  const all = Array.from({ length: countDaysBetween(days[0]?.day ?? end, end) + 1 }, (_, n) =>
    addDaysToDate(days[0]?.day ?? end, n),
  )
  return {
    max: Math.max(...days.map(({ scope }) => scope), ...scopeAhead.map(([, scope]) => scope)),
    formatTick: formatNumber,
    xLabels: sampleEvenly(all, MAX_X_LABELS).map((day) => formatDay(day)),
    points: days.map(({ day, scope, done }, n): ChartPoint => {
      const behind = { after: day, before: addDaysToDate(day, 1) }
      return {
        x: x(n),
        description: reportMessages.burnUp.told(formatDay(day), scope, done),
        drillDown: behind,
      }
    }),
    shapes,
    endLabels: [
      {
        at: scopeEnd ?? last.scope,
        text: reportMessages.burnUp.scopeEnd(last.scope),
        ...(scopeEnd !== undefined && {
          more: reportMessages.burnUp.byThen(Math.round(scopeEnd)),
        }),
      },
      {
        at: doneAhead.at(-1)?.[1] ?? last.done,
        text: reportMessages.burnUp.doneEnd(last.done),
        more: reportMessages.burnUp.left(last.scope - last.done),
      },
    ],
  }
}

/**
 * From the bottom of the chart up. Only the table shows canceled tasks, because they are no work.
 */
const BANDS = ['completed', 'started', 'unstarted', 'backlog'] as const
const CATEGORIES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const

/** The cumulative flow report: tasks by status category, stacked. */
export function toFlowView({ days, assumed }: FlowReport): ReportView {
  const total = (day: FlowReport['days'][number]) => BANDS.reduce((sum, band) => sum + day[band], 0)
  const activeDays = days.filter((day) => total(day) > 0).length
  const base = {
    name: reportMessages.flow.name,
    say: reportMessages.flow.say,
    unit: reportMessages.unit.tasks,
    columns: [
      reportMessages.day,
      ...CATEGORIES.map((category) => reportMessages.flow.categories[category]),
    ],
    rows: days.map((day) => [day.day, ...CATEGORIES.map((category) => day[category])]),
    notes: [
      reportMessages.flow.now,
      ...(assumed > 0 ? [reportMessages.flow.assumed(assumed)] : []),
    ],
  }
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || activeDays < MIN_CHART_POINTS) {
    return {
      ...base,
      finding: activeDays === 0 ? reportMessages.none : reportMessages.few.days(activeDays),
    }
  }
  const started = days.map((day) => day.started)
  const queue = (day: FlowReport['days'][number]) => day.backlog + day.unstarted
  const growth = queue(last) - queue(first)
  const startedRange = reportMessages.flow.steady(Math.min(...started), Math.max(...started))
  const x = (n: number) => n / Math.max(days.length - 1, 1)
  const stackUpTo = (bandCount: number) =>
    days.map((day, n) => {
      const sum = BANDS.slice(0, bandCount).reduce((all, one) => all + day[one], 0)
      return [x(n), sum] as const
    })
  return {
    ...base,
    finding: reportMessages.flow.queue(
      startedRange,
      growth > 0 ? 'grew' : growth < 0 ? 'shrank' : 'held',
      queue(last),
    ),
    chart: {
      max: Math.max(...days.map(total)),
      formatTick: formatNumber,
      xLabels: sampleEvenly(days, MAX_X_LABELS).map(({ day }) => formatDay(day)),
      points: days.map((day, n) => ({
        x: x(n),
        description: reportMessages.flow.told(
          formatDay(day.day),
          formatList(
            BANDS.map((band) =>
              reportMessages.flow.end(reportMessages.flow.categories[band], day[band]),
            ),
          ),
        ),
        drillDown: { after: day.day, before: addDaysToDate(day.day, 1) },
      })),
      shapes: [
        ...BANDS.map(
          (band, n): ChartShape => ({
            className: `band ${band}`,
            points: stackUpTo(n + 1),
            baseline: stackUpTo(n),
          }),
        ),
        { className: 'done', points: stackUpTo(1) },
      ],
      endLabels: BANDS.map((band, n) => ({
        at: ((stackUpTo(n).at(-1)?.[1] ?? 0) + (stackUpTo(n + 1).at(-1)?.[1] ?? 0)) / 2,
        text: reportMessages.flow.end(reportMessages.flow.categories[band], last[band]),
      })),
    },
  }
}
