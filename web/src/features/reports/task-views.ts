import { DAY_SECONDS } from '#lib/durations.ts'
import type {
  CycleReport,
  EstimateReport,
  ThroughputReport,
} from '#resources/web-app/reports/contract.ts'
import { formatDuration } from '../../lib/dates/duration.ts'
import {
  addDaysToDate,
  countDaysBetween,
  formatDay,
  toPlainDate,
} from '../../lib/dates/plain-date.ts'
import { formatNumber } from '../../messages/plural.ts'
import { reportMessages } from '../../messages/projects/reports.ts'
import {
  type ChartShape,
  formatHours,
  formatTenth,
  MIN_CHART_POINTS,
  NO_VALUE,
  type ReportView,
  sampleEvenly,
} from './report-view.ts'

const MAX_X_LABELS = 6
const HOUR_SECONDS = 3_600

/** Formats seconds as "5 h" below a day, else as "3.1 d". */
const formatHoursOrDays = (seconds: number): string =>
  seconds < DAY_SECONDS
    ? reportMessages.cycle.hours(formatTenth(seconds / HOUR_SECONDS))
    : reportMessages.cycle.days(formatTenth(seconds / DAY_SECONDS))

/** The throughput report: completed tasks by week as bars, created tasks as a line. */
export function toThroughputView({ range, weeks }: ThroughputReport): ReportView {
  const { name, say, ...t } = reportMessages.throughput
  const base = {
    name,
    say,
    unit: reportMessages.unit.tasks,
    notes: [],
    columns: [reportMessages.week, t.completed, t.created, t.days],
    rows: weeks.map(({ week, completed, created, days }) => [week, completed, created, days]),
  }
  if (weeks.every(({ completed, created }) => completed + created === 0)) {
    return { ...base, finding: reportMessages.none }
  }
  if (weeks.length < MIN_CHART_POINTS)
    return { ...base, finding: reportMessages.few.weeks(weeks.length) }
  const fullWeeks = weeks.filter(({ days }) => days === 7)
  const weeklyMean = (field: 'completed' | 'created') =>
    formatTenth(
      fullWeeks.reduce((sum, week) => sum + week[field], 0) / Math.max(fullWeeks.length, 1),
    )
  const x = (n: number) => (n + 0.5) / weeks.length
  const halfBarWidth = 0.36 / weeks.length
  const toBar = (n: number, value: number): ChartShape => ({
    className: 'bar',
    points: [
      [x(n) - halfBarWidth, value],
      [x(n) + halfBarWidth, value],
    ],
    baseline: [
      [x(n) - halfBarWidth, 0],
      [x(n) + halfBarWidth, 0],
    ],
  })
  const last = weeks.at(-1)
  return {
    ...base,
    finding: t.found(weeklyMean('completed'), weeklyMean('created')),
    chart: {
      max: Math.max(...weeks.map(({ completed, created }) => Math.max(completed, created))),
      formatTick: formatNumber,
      xLabels: sampleEvenly(weeks, MAX_X_LABELS).map(({ week }) => formatDay(week)),
      points: weeks.map(({ week, completed, created, days }, n) => {
        const description = t.told(formatDay(week), completed, created)
        const end = addDaysToDate(week, 7)
        return {
          x: x(n),
          description: days < 7 ? `${description} (${t.part(days)})` : description,
          // The first and the last week may reach beyond the range, whose tasks alone are counted.
          drillDown: { after: clampDay(week, range), before: clampDay(end, range) },
        }
      }),
      shapes: [
        ...weeks.map(({ completed }, n) => toBar(n, completed)),
        { className: 'scope', points: weeks.map(({ created }, n) => [x(n), created]) },
      ],
      endLabels: last
        ? [
            { at: last.created, text: reportMessages.flow.end(t.created, last.created) },
            { at: last.completed / 2, text: reportMessages.flow.end(t.completed, last.completed) },
          ]
        : [],
    },
  }
}

function clampDay(day: string, { after, before }: { after: string; before: string }): string {
  if (day < after) return after
  if (day > before) return before
  return day
}

/** Cycle time of each task by completion day, with lines at the median and the 85th percentile. */
export function toCycleTimeView({
  range,
  count,
  unstarted_count,
  p50,
  p85,
  points,
}: CycleReport): ReportView {
  const { name, say, ...t } = reportMessages.cycle
  const reversed = points.toReversed()
  const base = {
    name,
    say,
    unit: reportMessages.unit.days,
    figures: [
      p50 === null || p85 === null
        ? { name: reportMessages.figures.half, value: NO_VALUE }
        : {
            name: reportMessages.figures.half,
            value: formatHoursOrDays(p50),
            note: reportMessages.figures.most(formatHoursOrDays(p85)),
          },
    ],
    notes: [
      ...(unstarted_count > 0 ? [t.unstarted(unstarted_count)] : []),
      ...(count > points.length ? [reportMessages.cut(points.length, count)] : []),
    ],
    columns: [t.task, t.what, t.completed, t.took, t.from],
    rows: reversed.map(({ short_id, title, completed_at, seconds, is_started }) => [
      short_id,
      title,
      toPlainDate(completed_at),
      Math.round((seconds / DAY_SECONDS) * 100) / 100,
      is_started ? t.start : t.creation,
    ]),
  }
  if (count < MIN_CHART_POINTS || p50 === null || p85 === null) {
    return { ...base, finding: count === 0 ? reportMessages.none : reportMessages.few.tasks(count) }
  }
  const [dayCount, firstDay] = [countDaysBetween(range.after, range.before), range.after]
  const all = Array.from({ length: dayCount }, (_, n) => addDaysToDate(firstDay, n))
  const horizontalLine = (look: string, seconds: number): ChartShape => ({
    className: look,
    points: [
      [0, seconds / DAY_SECONDS],
      [1, seconds / DAY_SECONDS],
    ],
  })
  return {
    ...base,
    finding: t.found(formatHoursOrDays(p50), formatHoursOrDays(p85)),
    chart: {
      max: Math.max(...points.map(({ seconds }) => seconds)) / DAY_SECONDS,
      formatTick: formatTenth,
      xLabels: sampleEvenly(all, MAX_X_LABELS).map((day) => formatDay(day)),
      points: reversed.map(({ short_id, title, completed_at, seconds }) => {
        const day = toPlainDate(completed_at)
        return {
          x: (countDaysBetween(firstDay, day) + 0.5) / dayCount,
          y: seconds / DAY_SECONDS,
          description: t.told(short_id, title, formatHoursOrDays(seconds), formatDay(day)),
          drillDown: { short_id },
        }
      }),
      shapes: [horizontalLine('done', p50), horizontalLine('scope', p85)],
      endLabels: [
        { at: p85 / DAY_SECONDS, text: t.most(formatHoursOrDays(p85)) },
        { at: p50 / DAY_SECONDS, text: t.half(formatHoursOrDays(p50)) },
      ],
    },
  }
}

/** Time spent on completed tasks against their estimates. The line is where both are equal. */
export function toEstimatesView({ points, ...totals }: EstimateReport): ReportView {
  const { name, say, ...t } = reportMessages.estimates
  const { count, over, estimate_seconds, time_spent_seconds } = totals
  const sorted = points.toSorted((a, b) => a.estimate_seconds - b.estimate_seconds)
  const base = {
    name,
    say,
    unit: reportMessages.unit.time,
    figures: [
      count === 0
        ? { name: reportMessages.figures.spent, value: NO_VALUE }
        : {
            name: reportMessages.figures.spent,
            value: reportMessages.cycle.hours(
              formatNumber(Math.round(time_spent_seconds / HOUR_SECONDS)),
            ),
            note: reportMessages.figures.of(
              reportMessages.cycle.hours(formatNumber(Math.round(estimate_seconds / HOUR_SECONDS))),
            ),
          },
    ],
    notes: count > points.length ? [reportMessages.cut(points.length, count)] : [],
    columns: [reportMessages.cycle.task, reportMessages.cycle.what, t.estimate, t.spent],
    rows: sorted.map(({ short_id, title, ...times }) => [
      short_id,
      title,
      formatHours(times.estimate_seconds),
      formatHours(times.time_spent_seconds),
    ]),
  }
  if (count < MIN_CHART_POINTS)
    return {
      ...base,
      finding: count === 0 ? reportMessages.none : reportMessages.few.estimated(count),
    }
  const percent = Math.round((time_spent_seconds / estimate_seconds - 1) * 100)
  const deviation = percent === 0 ? t.same : percent > 0 ? t.longer(percent) : t.shorter(-percent)
  const maxEstimate = Math.max(...points.map((point) => point.estimate_seconds)) / HOUR_SECONDS
  const maxHours = Math.max(
    maxEstimate,
    ...points.map((point) => point.time_spent_seconds / HOUR_SECONDS),
  )
  return {
    ...base,
    finding: t.over(deviation, over, count),
    chart: {
      max: maxHours,
      formatTick: formatTenth,
      xLabels: Array.from({ length: 5 }, (_, n) => `${formatTenth((maxEstimate * n) / 4)} h`),
      points: sorted.map((point) => ({
        x: point.estimate_seconds / HOUR_SECONDS / maxEstimate,
        y: point.time_spent_seconds / HOUR_SECONDS,
        description: t.told(
          point.short_id,
          point.title,
          formatDuration(point.time_spent_seconds),
          formatDuration(point.estimate_seconds),
        ),
        drillDown: { short_id: point.short_id },
      })),
      shapes: [
        {
          className: 'scope',
          points: [
            [0, 0],
            [1, maxEstimate],
          ],
        },
      ],
      endLabels: [{ at: maxEstimate, text: t.asEstimated }],
    },
  }
}
