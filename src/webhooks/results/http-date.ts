const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const MONTH = `(?<month>${MONTHS})`
const DAY = '(?<day>\\d\\d)'
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const FORMATS = [
  `${NAME}, ${DAY} ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_NAME}, ${DAY}-${MONTH}-(?<short>\\d\\d) ${TIME} GMT`,
  `${NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`,
].map((format) => new RegExp(`^${format}$`))

/**
 * Parses a date in one of the three HTTP formats (RFC 9110, 5.6.7), all of them in GMT, to
 * milliseconds since 1970; undefined for anything else. A two-digit year is the latest such
 * year that is at most 50 years after `now`. A wrong name of the day is ignored.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const format of FORMATS) {
    const fields = format.exec(text)?.groups
    if (fields) return toMillis(fields, now)
  }
  return undefined
}

function toMillis(fields: Record<string, string | undefined>, now: number): number | undefined {
  const { year, short, month = '' } = fields
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(
    (name) => Number(fields[name]),
  )
  const index = MONTHS.split('|').indexOf(month)
  const fullYear = year === undefined ? expandYear(Number(short), now) : Number(year)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, index, day)
  const isDay = date.getUTCMonth() === index && date.getUTCDate() === day
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined
  return date.setUTCHours(hour, minute, second)
}

function expandYear(short: number, now: number): number {
  const last = new Date(now).getUTCFullYear() + 50
  return last - ((((last - short) % 100) + 100) % 100)
}
