import {
  addDaysToDate,
  addMonthsToDate,
  countDaysBetween,
  formatDay,
  type PlainDate,
  startOfMonth,
  startOfWeek,
} from '../../../lib/dates/plain-date.ts'
import { formatNumber } from '../../../messages/plural.ts'
import {
  type DateSpan,
  getSpanFirstDay,
  getSpanLastDay,
  type TaskSpans,
} from '../schedule/task-spans.ts'

export const TIMELINE_ZOOMS = ['day', 'week', 'month'] as const
export type TimelineZoom = (typeof TIMELINE_ZOOMS)[number]

/** Width of a day, px. */
const DAY_PX: Record<TimelineZoom, number> = { day: 36, week: 14, month: 4 }
/**
 * Dates farther from today are drawn at the edge, so that a typo in a year does not stretch the
 * scale.
 */
const [MAX_PAST_DAYS, MAX_FUTURE_DAYS] = [3 * 365, 5 * 365]
const PADDING_DAYS = 30

interface ScaleTick {
  day: PlainDate
  label: string
  x: number
  /** Distance to the next tick, px. */
  width: number
}

/** Converts between days and positions on the timeline, in px. */
export class TimeScale {
  readonly from: PlainDate
  readonly to: PlainDate
  readonly zoom: TimelineZoom
  readonly day: number

  constructor(zoom: TimelineZoom, from: PlainDate, to: PlainDate) {
    this.zoom = zoom
    this.day = DAY_PX[zoom]
    this.from = startOfMonth(from)
    this.to = addMonthsToDate(startOfMonth(to), 1)
  }

  get width(): number {
    return countDaysBetween(this.from, this.to) * this.day
  }

  /** The start of a day; days beyond the edges are placed at the edges. */
  x(day: PlainDate): number {
    const days = countDaysBetween(this.from, day)
    return Math.max(0, Math.min(days, countDaysBetween(this.from, this.to) - 1)) * this.day
  }

  dayAt(x: number): PlainDate {
    return addDaysToDate(this.from, Math.floor(x / this.day))
  }

  /**
   * The ticks between two positions: coarse ones for months or years, fine ones for days, weeks or
   * months.
   */
  ticks(left: number, right: number): { coarse: ScaleTick[]; fine: ScaleTick[] } {
    const [first, last] = [this.dayAt(Math.max(0, left)), this.dayAt(Math.min(this.width, right))]
    const position = (day: PlainDate) => countDaysBetween(this.from, day) * this.day
    const toTick =
      (label: (day: PlainDate) => string) =>
      (day: PlainDate, at: number, all: readonly PlainDate[]): ScaleTick => {
        const next = all[at + 1]
        const width = next === undefined ? 0 : position(next) - position(day)
        return { day, label: label(day), x: position(day), width }
      }
    const months = listDays(startOfMonth(first), last, (day) => addMonthsToDate(day, 1))
    if (this.zoom === 'month') {
      const years = listDays(`${first.slice(0, 4)}-01-01`, last, (day) => addMonthsToDate(day, 12))
      return {
        coarse: years.map(toTick((day) => day.slice(0, 4))),
        fine: months.map(toTick((day) => formatDay(day, 'ofYear'))),
      }
    }
    const dayOfMonthTick = toTick((day) => formatNumber(Number(day.slice(8))))
    const days =
      this.zoom === 'day'
        ? listDays(first, last, (day) => addDaysToDate(day, 1))
        : listDays(startOfWeek(first), last, (day) => addDaysToDate(day, 7))
    return {
      coarse: months.map(toTick((day) => formatDay(day, 'month'))),
      fine: days.map(dayOfMonthTick),
    }
  }
}

function listDays(
  from: PlainDate,
  to: PlainDate,
  next: (day: PlainDate) => PlainDate,
): PlainDate[] {
  const days: PlainDate[] = []
  for (let day = from; day <= to; day = next(day)) days.push(day)
  return days
}

/** Creates a scale that contains the given tasks and today. */
export function createTimeScale(
  zoom: TimelineZoom,
  spans: TaskSpans,
  ids: readonly string[],
  today: PlainDate,
) {
  const [earliest, latest] = [
    addDaysToDate(today, -MAX_PAST_DAYS),
    addDaysToDate(today, MAX_FUTURE_DAYS),
  ]
  let [from, to] = [addDaysToDate(today, -PADDING_DAYS), addDaysToDate(today, PADDING_DAYS * 3)]
  const include = (span: DateSpan | undefined) => {
    if (!span) return
    const [first, last] = [getSpanFirstDay(span), getSpanLastDay(span)]
    if (first < from && first >= earliest) from = first
    if (last > to && last <= latest) to = last
  }
  for (const id of ids) include(spans.get(id))
  return new TimeScale(zoom, addDaysToDate(from, -7), addDaysToDate(to, PADDING_DAYS))
}
