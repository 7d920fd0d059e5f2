import {
  addDays,
  addMonths,
  daysBetween,
  formatDay,
  type PlainDate,
  startOfMonth,
  startOfWeek,
} from '../../../lib/day.ts'
import { number } from '../../../messages/plural.ts'
import type { Spans } from '../plan/spans.ts'
import { firstOf, lastOf } from '../plan/spans.ts'

export const ZOOMS = ['day', 'week', 'month'] as const
export type Zoom = (typeof ZOOMS)[number]

/** Width of a day, px. */
const DAY_PX: Record<Zoom, number> = { day: 36, week: 14, month: 4 }
/** What lies farther from today than this is drawn at the edge: a slip of the pen in a year must not stretch all. */
const [BACK, AHEAD] = [3 * 365, 5 * 365]
const AROUND = 30

export interface Tick {
  day: PlainDate
  label: string
  x: number
  /** Up to the next one, px. */
  width: number
}

/** Where days stand on a timeline. */
export class Scale {
  readonly from: PlainDate
  readonly to: PlainDate
  readonly zoom: Zoom
  readonly day: number

  constructor(zoom: Zoom, from: PlainDate, to: PlainDate) {
    this.zoom = zoom
    this.day = DAY_PX[zoom]
    this.from = startOfMonth(from)
    this.to = addMonths(startOfMonth(to), 1)
  }

  get width(): number {
    return daysBetween(this.from, this.to) * this.day
  }

  /** Where a day begins; what lies beyond the edges is drawn at them. */
  x(day: PlainDate): number {
    const days = daysBetween(this.from, day)
    return Math.max(0, Math.min(days, daysBetween(this.from, this.to) - 1)) * this.day
  }

  dayAt(x: number): PlainDate {
    return addDays(this.from, Math.floor(x / this.day))
  }

  /** The lines of the scale between two places: coarse ones with what they begin, and fine ones. */
  ticks(left: number, right: number): { coarse: Tick[]; fine: Tick[] } {
    const [first, last] = [this.dayAt(Math.max(0, left)), this.dayAt(Math.min(this.width, right))]
    const place = (day: PlainDate) => daysBetween(this.from, day) * this.day
    const tick =
      (label: (day: PlainDate) => string) =>
      (day: PlainDate, at: number, all: readonly PlainDate[]): Tick => {
        const next = all[at + 1]
        const width = next === undefined ? 0 : place(next) - place(day)
        return { day, label: label(day), x: place(day), width }
      }
    const months = each(startOfMonth(first), last, (day) => addMonths(day, 1))
    if (this.zoom === 'month') {
      const years = each(`${first.slice(0, 4)}-01-01`, last, (day) => addMonths(day, 12))
      return {
        coarse: years.map(tick((day) => day.slice(0, 4))),
        fine: months.map(tick((day) => formatDay(day, 'ofYear'))),
      }
    }
    const ofMonth = tick((day) => number(Number(day.slice(8))))
    const days =
      this.zoom === 'day'
        ? each(first, last, (day) => addDays(day, 1))
        : each(startOfWeek(first), last, (day) => addDays(day, 7))
    return { coarse: months.map(tick((day) => formatDay(day, 'month'))), fine: days.map(ofMonth) }
  }
}

function each(from: PlainDate, to: PlainDate, next: (day: PlainDate) => PlainDate): PlainDate[] {
  const days: PlainDate[] = []
  for (let day = from; day <= to; day = next(day)) days.push(day)
  return days
}

/** A scale that shows all of some tasks, and today. */
export function scaleFor(zoom: Zoom, spans: Spans, numbers: readonly number[], today: PlainDate) {
  const [earliest, latest] = [addDays(today, -BACK), addDays(today, AHEAD)]
  let [from, to] = [addDays(today, -AROUND), addDays(today, AROUND * 3)]
  for (const number of numbers) {
    const span = spans.of(number)
    if (!span) continue
    const [first, last] = [firstOf(span), lastOf(span)]
    if (first < from && first >= earliest) from = first
    if (last > to && last <= latest) to = last
  }
  return new Scale(zoom, addDays(from, -7), addDays(to, AROUND))
}
