import {
  addDaysToDate,
  countDaysBetween,
  isPlainDate,
  type PlainDate,
  today,
} from '../../lib/dates/plain-date.ts'

/** The search parameters of the reports. Lists of ids are separated by commas. */
export interface ReportSearchParams {
  tab?: string | undefined
  /** The number of weeks up to today. If missing, `after` and `before` apply. */
  weeks?: number | undefined
  after?: string | undefined
  /** The day after the last one (exclusive). */
  before?: string | undefined
  /** Project prefixes. */
  project?: string | undefined
  who?: string | undefined
  tag?: string | undefined
}

export const REPORT_TABS = ['progress', 'time', 'cycle', 'throughput', 'estimates'] as const
export type ReportTab = (typeof REPORT_TABS)[number]
export const parseReportTab = (tab: string | undefined): ReportTab =>
  REPORT_TABS.find((one) => one === tab) ?? 'progress'

export const RANGE_WEEKS = [4, 8, 16, 26, 52, 104] as const
const DEFAULT_WEEKS = 16
/** The longest range that the server reports on: three years. */
export const MAX_RANGE_DAYS = 1_096

export interface ReportDateRange {
  after: PlainDate
  before: PlainDate
  /** The number of weeks, if the range ends today. */
  weeks?: number
}

/** Parses the date range. Invalid parameters are ignored. */
export function parseReportDateRange({
  weeks,
  after = '',
  before = '',
}: ReportSearchParams): ReportDateRange {
  if (isPlainDate(after) && isPlainDate(before) && !getRangeError({ after, before }))
    return { after, before }
  const weekCount = RANGE_WEEKS.find((one) => one === weeks) ?? DEFAULT_WEEKS
  const end = addDaysToDate(today(), 1)
  return { after: addDaysToDate(end, -7 * weekCount), before: end, weeks: weekCount }
}

/** Why the server would reject a range: it ends before it begins, or it is too long. */
export const getRangeError = (days: ReportDateRange): 'turned' | 'long' | undefined => {
  const length = countRangeDays(days)
  return length < 1 ? 'turned' : length > MAX_RANGE_DAYS ? 'long' : undefined
}

export const countRangeDays = ({ after, before }: ReportDateRange): number =>
  countDaysBetween(after, before)

export const parseIdList = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((id) => id !== '')
