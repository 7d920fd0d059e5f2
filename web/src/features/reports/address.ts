import { addDays, daysBetween, isDay, type PlainDate, today } from '../../lib/day.ts'

/** All that a report is, as the address has it; ids are divided by commas. */
export interface ReportAddress {
  tab?: string | undefined
  /** So many weeks up to today; otherwise `after` and `before`. */
  weeks?: number | undefined
  after?: string | undefined
  /** The day after the last. */
  before?: string | undefined
  /** Prefixes of projects. */
  project?: string | undefined
  who?: string | undefined
  tag?: string | undefined
}

export const TABS = ['progress', 'time', 'cycle', 'throughput', 'estimates'] as const
export type Tab = (typeof TABS)[number]
export const tabIn = (tab: string | undefined): Tab => TABS.find((one) => one === tab) ?? 'progress'

export const WEEKS = [4, 8, 16, 26, 52, 104] as const
const USUAL_WEEKS = 16
/** So many days the server tells of at the most: three years. */
export const MOST_DAYS = 1_096

export interface Days {
  after: PlainDate
  before: PlainDate
  /** Of a range up to today. */
  weeks?: number
}

/** The days of an address; what makes no sense there is as if it were not there. */
export function daysIn({ weeks, after = '', before = '' }: ReportAddress): Days {
  if (isDay(after) && isDay(before) && !isWrong({ after, before })) return { after, before }
  const wanted = WEEKS.find((one) => one === weeks) ?? USUAL_WEEKS
  const end = addDays(today(), 1)
  return { after: addDays(end, -7 * wanted), before: end, weeks: wanted }
}

/** Whether the server would refuse the days: they end before they begin, or are too many. */
export const isWrong = (days: Days): 'turned' | 'long' | undefined => {
  const length = lengthOf(days)
  return length < 1 ? 'turned' : length > MOST_DAYS ? 'long' : undefined
}

export const lengthOf = ({ after, before }: Days): number => daysBetween(after, before)

export const idsIn = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((id) => id !== '')
