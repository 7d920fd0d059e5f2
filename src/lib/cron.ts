/** A schedule of five cron fields. Its times are in UTC, so that no hour is missing or doubled. */
export interface CronSchedule {
  minutes: readonly number[]
  hours: readonly number[]
  isDay(date: Date): boolean
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** The calendar repeats after 28 years, and after 40 around a year such as 2100 that has no leap day. */
const MAX_DAYS = 41 * 366

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The values of a field, and the names that stand for them, counted from the lowest value. */
interface CronField {
  min: number
  max: number
  names?: readonly string[]
}

const FIELDS: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 7, names: WEEKDAYS },
]

/**
 * Parses minute, hour, day of month, month and day of week as cron(5) does: `*`, numbers, names,
 * ranges, lists and steps. If both days are restricted, either is enough. Undefined if the text is
 * invalid or names a time that never comes, such as 30 February.
 */
export function parseCron(text: string): CronSchedule | undefined {
  const words = text.trim().toLowerCase().split(/\s+/)
  const fields = FIELDS.map((field, at) => parseField(words[at] ?? '', field))
  const [minutes, hours, days, months, weekdays] = fields
  if (words.length !== FIELDS.length) return undefined
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  const isEither = !words[2]?.startsWith('*') && !words[4]?.startsWith('*')
  const schedule: CronSchedule = {
    minutes,
    hours,
    isDay(date) {
      if (!months.includes(date.getUTCMonth() + 1)) return false
      const isDayOfMonth = days.includes(date.getUTCDate())
      const isWeekday = weekdays.includes(date.getUTCDay())
      return isEither ? isDayOfMonth || isWeekday : isDayOfMonth && isWeekday
    },
  }
  return nextCronTime(schedule, 0) === undefined ? undefined : schedule
}

/** The latest time of a schedule that is not after `now`, both in milliseconds since 1970. */
export function previousCronTime(schedule: CronSchedule, now: number): number | undefined {
  const today = Math.floor(now / DAY_MS)
  for (let day = today; day > today - MAX_DAYS; day -= 1) {
    const time = timesOf(schedule, day).findLast((one) => one <= now)
    if (time !== undefined) return time
  }
  return undefined
}

/** The earliest time of a schedule after another time. */
export function nextCronTime(schedule: CronSchedule, after: number): number | undefined {
  const today = Math.floor(after / DAY_MS)
  for (let day = today; day < today + MAX_DAYS; day += 1) {
    const time = timesOf(schedule, day).find((one) => one > after)
    if (time !== undefined) return time
  }
  return undefined
}

/** The times of a day, in ascending order. */
function timesOf({ minutes, hours, isDay }: CronSchedule, day: number): number[] {
  if (!isDay(new Date(day * DAY_MS))) return []
  return hours.flatMap((hour) =>
    minutes.map((minute) => day * DAY_MS + (hour * 60 + minute) * MINUTE_MS),
  )
}

const RANGE = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/

/** The values of a field in ascending order; undefined if it is invalid. */
function parseField(text: string, field: CronField): number[] | undefined {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const match = RANGE.exec(part)
    if (!match) return undefined
    const [, all, first = '', last, stepText] = match
    const step = Number(stepText ?? 1)
    const from = all ? field.min : parseValue(first, field)
    // As in other crons, 5/10 means from 5 to the end.
    const end = stepText === undefined ? from : field.max
    const to = all ? field.max : last === undefined ? end : parseValue(last, field)
    if (from === undefined || to === undefined || from > to || step === 0) return undefined
    for (let value = from; value <= to; value += step) values.add(value)
  }
  // Sunday is 0 and 7.
  if (field.names === WEEKDAYS && values.delete(7)) values.add(0)
  return [...values].toSorted((one, other) => one - other)
}

function parseValue(text: string, { min, max, names }: CronField): number | undefined {
  const at = names?.indexOf(text) ?? -1
  if (at >= 0) return min + at
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}
