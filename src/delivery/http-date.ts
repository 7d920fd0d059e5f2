const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const MONTH = `(?<month>${MONTHS})`
const DAY = '(?<day>\\d\\d)'
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
const NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const FORMS = [
  `${NAME}, ${DAY} ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_NAME}, ${DAY}-${MONTH}-(?<short>\\d\\d) ${TIME} GMT`,
  `${NAME} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`))

/**
 * Milliseconds since 1970 of a date in one of the three forms of HTTP (RFC 9110, 5.6.7), all of them
 * in GMT; undefined for anything else. A year of two digits is the last of them that is at most 50
 * years after `now`. A wrong name of the day does no harm.
 */
export function httpDate(text: string, now: number): number | undefined {
  for (const form of FORMS) {
    const found = form.exec(text)?.groups
    if (found) return at(found, now)
  }
  return undefined
}

function at(found: Record<string, string | undefined>, now: number): number | undefined {
  const { year, short, month = '' } = found
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(
    (name) => Number(found[name]),
  )
  const index = MONTHS.split('|').indexOf(month)
  const whole = year === undefined ? latest(Number(short), now) : Number(year)
  const date = new Date(0)
  date.setUTCFullYear(whole, index, day)
  const isDay = date.getUTCMonth() === index && date.getUTCDate() === day
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined
  return date.setUTCHours(hour, minute, second)
}

function latest(short: number, now: number): number {
  const last = new Date(now).getUTCFullYear() + 50
  return last - ((((last - short) % 100) + 100) % 100)
}
