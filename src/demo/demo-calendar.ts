import { timestampOf } from '#lib/clock.ts'
import { addDays, atWallTime, dayIn, dayNumber } from '#lib/days.ts'

const DAYS_PER_WEEK = 7
/** 1970-01-01, the day 0, was a Thursday; weekdays are counted from Sunday. */
const WEEKDAY_OF_DAY_0 = 4
const SATURDAY = 6
const MINUTE_MS = 60_000

/** The days and times of the demo, counted from the day on which it is created. */
export interface DemoCalendar {
  /**
   * The day some days from today. Nobody works at weekends: they become the Friday before if they
   * are over, and otherwise the Monday after.
   */
  dayOf(days: number): string
  /** The time of day on that day, in milliseconds since 1970. */
  timeOn(days: number, time: string): number
  /** Milliseconds since 1970. */
  minutesAgo(minutes: number): number
  /** The days from today to the next day that has a weekday, from 1 to 7; 0 is Sunday. */
  daysUntil(weekday: number): number
}

export function createDemoCalendar(timezone: string, nowMs: number): DemoCalendar {
  const today = dayIn(timezone, timestampOf(nowMs))
  const weekdayOf = (days: number) => (dayNumber(today) + days + WEEKDAY_OF_DAY_0) % DAYS_PER_WEEK
  const dayOf = (days: number) => {
    const weekday = days === 0 ? undefined : weekdayOf(days)
    if (weekday === 0) return addDays(today, days < 0 ? days - 2 : days + 1)
    if (weekday === SATURDAY) return addDays(today, days < 0 ? days - 1 : days + 2)
    return addDays(today, days)
  }
  return {
    dayOf,
    timeOn: (days, time) => Date.parse(atWallTime(dayOf(days), timezone, time)),
    minutesAgo: (minutes) => nowMs - minutes * MINUTE_MS,
    daysUntil: (weekday) => ((weekday - weekdayOf(0) + 2 * DAYS_PER_WEEK - 1) % DAYS_PER_WEEK) + 1,
  }
}

const SECONDS_PER_HOUR = 3_600
const MAX_VARIATION_SECONDS = 1_700

/** The seconds since midnight as `HH:MM:SS`. */
export const timeOfDay = (seconds: number): string =>
  [seconds / SECONDS_PER_HOUR, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')

/** A time within the half hour after an hour and some minutes, which differs from task to task. */
export const variedTime = (hour: number, index: number, minutes = 0): string =>
  timeOfDay(hour * SECONDS_PER_HOUR + minutes * 60 + ((index * 397) % MAX_VARIATION_SECONDS))
