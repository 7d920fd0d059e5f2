import { plural } from './plural.ts'
import { say } from './say.ts'

/** Words for days and instants. */
export const m = say('time', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  todayAt: (time: string) => `Today ${time}`,
  tomorrowAt: (time: string) => `Tomorrow ${time}`,
  yesterdayAt: (time: string) => `Yesterday ${time}`,
  dayAt: (day: string, time: string) => `${day} ${time}`,
  daysLate: (n: number) => plural(n, { one: '# d late', other: '# d late' }),
  hoursLate: (n: number) => plural(n, { one: '# h late', other: '# h late' }),
  minutesLate: (n: number) => plural(n, { one: '# min late', other: '# min late' }),
  now: 'just now',
  minutesAgo: (n: number) => plural(n, { one: '# min ago', other: '# min ago' }),
  hoursAgo: (n: number) => plural(n, { one: '# h ago', other: '# h ago' }),
  inMinutes: (n: number) => plural(n, { one: 'in # min', other: 'in # min' }),
  inHours: (n: number) => plural(n, { one: 'in # h', other: 'in # h' }),
  inDays: (n: number) => plural(n, { one: 'in # day', other: 'in # days' }),
  /** Words of dates and of new tasks as they are typed, and what they are in English. */
  typed: {} as Record<string, string>,
  inSeconds: (n: number) => plural(n, { one: 'in # s', other: 'in # s' }),
})
