import { fold } from '#lib/fold.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'

/** What statuses are called, in English and German, by what they mean; the first that fits. */
const CATEGORIES: [RegExp, StatusCategory][] = [
  [/cancel|won'?t|duplicate|reject|declin|not planned|abgebrochen|verworfen/, 'canceled'],
  [/not started|to ?do|open/, 'unstarted'],
  [
    /done|clos|complet|resolv|finish|shipped|released|archiv|erledigt|fertig|abgeschlossen/,
    'completed',
  ],
  [/progress|doing|start|review|test|active|wip|qa\b|in arbeit|laufend/, 'started'],
  [/backlog|icebox|later|someday|idea|triage|ideen|irgendwann/, 'backlog'],
]

/** What a status most likely means. */
export const categoryOf = (name: string): StatusCategory =>
  CATEGORIES.find(([words]) => words.test(fold(name)))?.[1] ?? 'unstarted'

const PRIORITIES: [RegExp, Task['priority']][] = [
  [/^(urgent|highest|critical|blocker|p0|dringend|do now)$/, 'urgent'],
  [/^(high|major|important|p1|hoch)$/, 'high'],
  [/^(medium|normal|moderate|p2|mittel)$/, 'medium'],
  [/^(low|lowest|minor|trivial|p3|p4|niedrig)$/, 'low'],
]

/** The priority that a word names; undefined: none that is known. */
export function priorityOf(word: string): Task['priority'] | undefined {
  const folded = fold(word.trim())
  if (/^(|-|none|no priority|keine)$/.test(folded)) return 'none'
  return PRIORITIES.find(([words]) => words.test(folded))?.[1]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const two = (part: string | undefined) => (part ?? '').padStart(2, '0')

/**
 * The day that a text names: `2026-03-31` with or without a time, `31.3.2026`, `21/Nov/26`,
 * `Mar 31, 2026`, and `3/31/2026` where only one of both can be the month. Undefined: none, or two.
 */
export function dayOf(text: string): string | undefined {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/.exec(text)
  if (iso) return `${iso[1]}-${two(iso[2])}-${two(iso[3])}`
  const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: .*)?$/.exec(text)
  if (german) return `${german[3]}-${two(german[2])}-${two(german[1])}`
  const named =
    /^(?<day>\d{1,2})[/ -](?<month>[A-Za-z]{3})[a-z]*[/ -](?<year>\d{4}|\d{2})(?: .*)?$/.exec(
      text,
    ) ??
    /^(?:[A-Z][a-z]{2},? )?(?<month>[A-Za-z]{3})[a-z]* (?<day>\d{1,2}),? (?<year>\d{4})(?: .*)?$/.exec(
      text,
    )
  if (named?.groups) {
    const { day, month = '', year = '' } = named.groups
    const at = MONTHS.indexOf(month.toLowerCase())
    return at < 0
      ? undefined
      : `${year.length === 2 ? `20${year}` : year}-${two(String(at + 1))}-${two(day)}`
  }
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: .*)?$/.exec(text)
  if (!slashed) return undefined
  const [first, second] = [Number(slashed[1]), Number(slashed[2])]
  if (first > 12 && second <= 12) return `${slashed[3]}-${two(slashed[2])}-${two(slashed[1])}`
  if (second > 12 && first <= 12) return `${slashed[3]}-${two(slashed[1])}-${two(slashed[2])}`
  return undefined
}

const UNITS: Record<string, number> = { w: 144_000, d: 28_800, h: 3_600, m: 60, s: 1 }

const LONGEST = 64

/** Seconds of `1h 30m`, `2d` (of eight hours), `90m`, or of a bare number of hours. */
export function secondsOf(text: string): number | undefined {
  const bare = /^\d+(?:[.,]\d+)?$/.exec(text)
  if (bare) return Math.round(Number(text.replace(',', '.')) * 3_600)
  // Nobody writes so many parts, and longer texts would take their time.
  if (text.length > LONGEST || !/^(?:\d+(?:\.\d+)?\s*[wdhms]\s*)+$/i.test(text)) return undefined
  let seconds = 0
  for (const part of text.trim().split(/(?<=[wdhms])/i)) {
    const unit = part.trim().slice(-1).toLowerCase()
    seconds += Number.parseFloat(part) * (UNITS[unit] ?? 0)
  }
  return Math.round(seconds)
}
