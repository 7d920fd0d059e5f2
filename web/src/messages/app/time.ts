import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of dates and times. */
export const timeMessages = defineMessages('time', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  todayAt: (time: string) => `Today ${time}`,
  tomorrowAt: (time: string) => `Tomorrow ${time}`,
  yesterdayAt: (time: string) => `Yesterday ${time}`,
  weekdayAnd: (weekday: string, day: string) => `${weekday} ${day}`,
  dayAt: (day: string, time: string) => `${day} ${time}`,
  daysLate: (n: number) => plural(n, { one: '# day overdue', other: '# days overdue' }),
  hoursLate: (n: number) => `${n} h overdue`,
  minutesLate: (n: number) => `${n} min overdue`,
  now: 'just now',
  minutesAgo: (n: number) => `${n} min ago`,
  hoursAgo: (n: number) => `${n} h ago`,
  inMinutes: (n: number) => `in ${n} min`,
  inHours: (n: number) => `in ${n} h`,
  inDays: (n: number) => plural(n, { one: 'in # day', other: 'in # days' }),
  /** English equivalents of typed words, for dates and new tasks. */
  typed: {} as Record<string, string>,
  inSeconds: (n: number) => `in ${n} s`,
})
