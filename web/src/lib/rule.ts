/** A recurrence rule in parts (contract 6.2), as far as it is needed to show it. */
export interface Rule {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  count: number | undefined
  /** The last day, `YYYY-MM-DD`. */
  until: string | undefined
  /** Weekdays, 1 for Monday; `nth` of the month or year, from its end if negative. */
  byDay: { weekday: number; nth: number | undefined }[]
  byMonthDay: number[]
  byMonth: number[]
  bySetPos: number[]
  weekStart: number
}

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const

/** The parts of an RRULE that the server takes; undefined for what is none. The server judges it. */
export function parseRule(text: string): Rule | undefined {
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
      weekday: WEEKDAYS.indexOf(day.slice(-2)) + 1,
      nth: day.length > 2 ? Number(day.slice(0, -2)) : undefined,
    })),
    byMonthDay: numbers('BYMONTHDAY'),
    byMonth: numbers('BYMONTH'),
    bySetPos: numbers('BYSETPOS'),
    weekStart: Math.max(WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO'), 0) + 1,
  }
}

/** The rule as the API takes it. */
export function ruleText(rule: Rule): string {
  const days = rule.byDay.map(({ weekday, nth }) => `${nth ?? ''}${WEEKDAYS[weekday - 1] ?? 'MO'}`)
  const parts: [string, string | number | undefined][] = [
    ['FREQ', rule.freq],
    ['INTERVAL', rule.interval === 1 ? undefined : rule.interval],
    ['BYDAY', days.join(',')],
    ['BYMONTHDAY', rule.byMonthDay.join(',')],
    ['BYMONTH', rule.byMonth.join(',')],
    ['BYSETPOS', rule.bySetPos.join(',')],
    ['WKST', rule.weekStart === 1 ? undefined : WEEKDAYS[rule.weekStart - 1]],
    ['COUNT', rule.count],
    ['UNTIL', rule.until?.replaceAll('-', '')],
  ]
  return parts.flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])).join(';')
}
