import {
  addDaysToDate,
  addMonthsToDate,
  countDaysBetween,
  isPlainDate,
  type PlainDate,
  startOfMonth,
  startOfWeek,
  today,
} from '../../lib/dates/plain-date.ts'

/** The search parameters of the reports. Lists of ids are separated by commas. */
export interface ReportSearchParams {
  tab?: string | undefined
  /** The number of weeks up to today. If missing, `period`, or `after` and `before` apply. */
  weeks?: number | undefined
  period?: string | undefined
  after?: string | undefined
  /** The day after the last one (exclusive). */
  before?: string | undefined
  /** Project prefixes. */
  project?: string | undefined
  who?: string | undefined
  tag?: string | undefined
  /** What the time report is grouped by. */
  by?: string | undefined
  /** A day of the week that the timesheet shows; today if missing. */
  week?: string | undefined
}

export const REPORT_TABS = [
  'progress',
  'time',
  'timesheet',
  'cycle',
  'throughput',
  'estimates',
] as const
export type ReportTab = (typeof REPORT_TABS)[number]
export const parseReportTab = (tab: string | undefined): ReportTab =>
  REPORT_TABS.find((one) => one === tab) ?? 'progress'

/** What the time report can be grouped by; `id` is its value in the address. */
export const TIME_GROUPINGS = [
  { id: 'user,project', groups: ['user', 'project'] },
  { id: 'user', groups: ['user'] },
  { id: 'project', groups: ['project'] },
  { id: 'tag', groups: ['tag'] },
  { id: 'task', groups: ['task'] },
  { id: 'day', groups: ['day'] },
  { id: 'week', groups: ['week'] },
] as const
export type TimeGrouping = (typeof TIME_GROUPINGS)[number]
export const parseTimeGrouping = (by: string | undefined): TimeGrouping =>
  TIME_GROUPINGS.find(({ id }) => id === by) ?? TIME_GROUPINGS[0]

export const RANGE_WEEKS = [4, 8, 16, 26, 52, 104] as const
const DEFAULT_WEEKS = 16
export const REPORT_PERIODS = ['this-week', 'last-week', 'this-month', 'last-month'] as const
type ReportPeriod = (typeof REPORT_PERIODS)[number]
/** The longest range that the server reports on: three years. */
export const MAX_RANGE_DAYS = 1_096

export interface ReportDateRange {
  after: PlainDate
  before: PlainDate
  /** The number of weeks, if the range ends today. */
  weeks?: number
  period?: ReportPeriod
}

/** Parses the date range. Invalid parameters are ignored. */
export function parseReportDateRange({
  weeks,
  period,
  after = '',
  before = '',
}: ReportSearchParams): ReportDateRange {
  if (isPlainDate(after) && isPlainDate(before) && !getRangeError({ after, before }))
    return { after, before }
  const named = REPORT_PERIODS.find((one) => one === period)
  if (named) return { ...getPeriodDays(named), period: named }
  const weekCount = RANGE_WEEKS.find((one) => one === weeks) ?? DEFAULT_WEEKS
  const end = addDaysToDate(today(), 1)
  return { after: addDaysToDate(end, -7 * weekCount), before: end, weeks: weekCount }
}

/** The days of a calendar week or month, of which the present one ends after today. */
function getPeriodDays(period: ReportPeriod): ReportDateRange {
  const week = startOfWeek(today())
  const month = startOfMonth(today())
  switch (period) {
    case 'this-week':
      return { after: week, before: addDaysToDate(week, 7) }
    case 'last-week':
      return { after: addDaysToDate(week, -7), before: week }
    case 'this-month':
      return { after: month, before: addMonthsToDate(month, 1) }
    case 'last-month':
      return { after: addMonthsToDate(month, -1), before: month }
  }
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
