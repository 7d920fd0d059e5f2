import { addDays, today, weekdayOf } from '../../lib/day.ts'
import { dayTimeOf } from '../../lib/instant.ts'
import { instantOf } from '../../lib/zoned.ts'
import { m } from '../../messages/inbox.ts'
import { type MenuFloat, type MenuItem, openFloat } from '../../ui/floats.ts'
import type { Group } from './grouped.ts'
import { snooze } from './marking.ts'

const HOURS_MS = 3 * 60 * 60 * 1000
const MORNING = '08:00'

/** When it may come back: soon, tomorrow, or with the next week, by the clocks of the viewer. */
export function snoozeItems(group: Group): MenuItem[] {
  const now = today()
  const choices = {
    inHours: new Date(Date.now() + HOURS_MS).toISOString(),
    tomorrow: instantOf(addDays(now, 1), MORNING),
    nextWeek: instantOf(addDays(now, 8 - weekdayOf(now)), MORNING),
  }
  return Object.entries(choices).map(([id, at]) => {
    const words = dayTimeOf(at)
    const run = () => void snooze(group, at, words)
    return { id, label: m[id as keyof typeof choices], hint: words, run }
  })
}

/** The same beside a line, for who came by a key. */
export function openSnooze(anchor: Element, label: string, group: Group): void {
  const menu: MenuFloat = { kind: 'menu', anchor, label, sections: [{ items: snoozeItems(group) }] }
  openFloat(menu)
}
