/** The parts of a recurrence rule (docs/spec/api.md#task) that the app displays. */
export interface RecurrenceRuleParts {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count: number | undefined
  /** The last day, `YYYY-MM-DD`. */
  until: string | undefined
  /** Weekdays, 1 for Monday; `nth` of the month or year, counted from its end if negative. */
  byDay: { weekday: number; nth: number | undefined }[]
  byMonthDay: number[]
  byMonth: number[]
  bySetPos: number[]
  weekStart: number
}

export const RRULE_WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const

/** Parses an RRULE; undefined without a known FREQ. The server validates the rule. */
export function parseRuleParts(text: string): RecurrenceRuleParts | undefined {
  const parts = new Map(text.split(';').map((part) => part.split('=', 2) as [string, string]))
  const freq = FREQUENCIES.find((name) => name === parts.get('FREQ'))
  if (!freq) return
  const numbers = (name: string) => parts.get(name)?.split(',').map(Number) ?? []
  return {
    freq,
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: parts.has('COUNT') ? Number(parts.get('COUNT')) : undefined,
    until: parts.get('UNTIL')?.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3'),
    byDay: (parts.get('BYDAY')?.split(',') ?? []).map((day) => ({
      weekday: RRULE_WEEKDAYS.indexOf(day.slice(-2)) + 1,
      nth: day.length > 2 ? Number(day.slice(0, -2)) : undefined,
    })),
    byMonthDay: numbers('BYMONTHDAY'),
    byMonth: numbers('BYMONTH'),
    bySetPos: numbers('BYSETPOS'),
    weekStart: Math.max(RRULE_WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'), 0) + 1,
  }
}

/** Formats a rule as the API accepts it. */
export function formatRuleParts(rule: RecurrenceRuleParts): string {
  const days = rule.byDay.map(
    ({ weekday, nth }) => `${nth ?? ''}${RRULE_WEEKDAYS[weekday - 1] ?? 'MO'}`,
  )
  const parts: [string, string | number | undefined][] = [
    ['FREQ', rule.freq],
    ['INTERVAL', rule.interval === 1 ? undefined : rule.interval],
    ['BYDAY', days.join(',')],
    ['BYMONTHDAY', rule.byMonthDay.join(',')],
    ['BYMONTH', rule.byMonth.join(',')],
    ['BYSETPOS', rule.bySetPos.join(',')],
    ['WKST', rule.weekStart === 1 ? undefined : RRULE_WEEKDAYS[rule.weekStart - 1]],
    ['COUNT', rule.count],
    ['UNTIL', rule.until?.replaceAll('-', '')],
  ]
  return parts.flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])).join(';')
}
