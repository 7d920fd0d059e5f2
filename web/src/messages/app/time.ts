import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of dates and times. */
export const timeMessages = defineMessages('time', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  todayAt: (time: string) => `Today ${time}`,
  tomorrowAt: (time: string) => `Tomorrow ${time}`,
  yesterdayAt: (time: string) => `Yesterday ${time}`,
  dayAt: (day: string, time: string) => `${day} ${time}`,
  daysLate: (n: number) => plural(n, { one: '# d overdue', other: '# d overdue' }),
  hoursLate: (n: number) => plural(n, { one: '# h overdue', other: '# h overdue' }),
  minutesLate: (n: number) => plural(n, { one: '# min overdue', other: '# min overdue' }),
  now: 'just now',
  minutesAgo: (n: number) => plural(n, { one: '# min ago', other: '# min ago' }),
  hoursAgo: (n: number) => plural(n, { one: '# h ago', other: '# h ago' }),
  inMinutes: (n: number) => plural(n, { one: 'in # min', other: 'in # min' }),
  inHours: (n: number) => plural(n, { one: 'in # h', other: 'in # h' }),
  inDays: (n: number) => plural(n, { one: 'in # day', other: 'in # days' }),
  /** English equivalents of typed words, for dates and new tasks. */
  typed: {} as Record<string, string>,
  inSeconds: (n: number) => plural(n, { one: 'in # s', other: 'in # s' }),
})
