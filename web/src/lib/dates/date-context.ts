import type { DateContext } from '#lib/typed-dates.ts'
import { timeMessages } from '../../messages/app/time.ts'
import { getDateFormatter } from '../locale/viewer.ts'
import { type PlainDate, today } from './plain-date.ts'
import { toWallTime } from './time-zone.ts'

/** What typed dates mean to the viewer, on a day. */
export const getDateContext = (day: PlainDate = today()): DateContext => ({
  today: day,
  clock: () => toWallTime(new Date().toISOString()),
  language: { words: timeMessages.typed, isMonthFirst: writesMonthFirst() },
})

const writesMonthFirst = () =>
  getDateFormatter({ day: 'numeric', month: 'numeric' }).formatToParts()[0]?.type === 'month'
