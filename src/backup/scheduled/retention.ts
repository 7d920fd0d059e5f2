import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'

/** 1970-01-01 was a Thursday, and ISO weeks begin on Monday. */
const DAYS_TO_MONDAY = 3

/** The name of the period that a time belongs to, in UTC. */
const PERIODS = {
  h: (ms: number) => timestampOf(ms).slice(0, 13),
  d: (ms: number) => timestampOf(ms).slice(0, 10),
  w: (ms: number) => String(Math.floor((ms / DAY_MS + DAYS_TO_MONDAY) / 7)),
  m: (ms: number) => timestampOf(ms).slice(0, 7),
  y: (ms: number) => timestampOf(ms).slice(0, 4),
} as const

type RetentionUnit = keyof typeof PERIODS

/** For how many hours, days, weeks, months and years to keep the newest backup of each. */
export type RetentionRules = ReadonlyMap<RetentionUnit, number>

const RULE = /^([1-9]\d{0,3})([hdwmy])$/

/** Parses rules such as `7d 4w 12m`; `all` keeps everything, which is no rule. Undefined if invalid. */
export function parseRetention(text: string): RetentionRules | undefined {
  if (text.trim() === 'all') return new Map()
  const rules = new Map<RetentionUnit, number>()
  for (const word of text.trim().split(/\s+/)) {
    const [, count, unit] = RULE.exec(word) ?? []
    if (count === undefined || !isUnit(unit) || rules.has(unit)) return undefined
    rules.set(unit, Number(count))
  }
  return rules
}

const isUnit = (text = ''): text is RetentionUnit => Object.hasOwn(PERIODS, text)

/** What the retention needs to know of a backup. */
export interface RetainedBackup {
  name: string
  /** In milliseconds since 1970. */
  madeAt: number
  /** Whether it was found to be whole after it was made. */
  isSound: boolean
}

/**
 * Selects the backups to delete. Periods without a backup do not count, so that a server that was
 * off for a month deletes nothing of the month before. A backup that is not sound takes no place,
 * and goes once there is a newer sound one. The newest sound one always stays.
 */
export function selectExpiredBackups<B extends RetainedBackup>(
  backups: readonly B[],
  rules: RetentionRules,
): B[] {
  const newestFirst = backups.toSorted((one, other) => other.madeAt - one.madeAt)
  const newest = newestFirst.find(({ isSound }) => isSound)
  if (rules.size === 0 || !newest) return []
  const kept = new Set<RetainedBackup>([newest])
  for (const [unit, count] of rules) {
    const periods = new Set<string>()
    for (const backup of newestFirst) {
      const period = PERIODS[unit](backup.madeAt)
      if (!backup.isSound || periods.has(period)) continue
      if (periods.size === count) break
      periods.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((one) => !kept.has(one) && one.madeAt < newest.madeAt)
}
