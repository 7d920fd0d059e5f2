import { foldCase } from '#lib/fold-case.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'

const COMPLETED_WORDS =
  'done|clos|complet|resolv|finish|shipped|released|archiv|erledigt|fertig|abgeschlossen'
const STARTED_WORDS =
  '(?:in ?)?(?:progress|review|test)|doing|start|active|wip\\b|qa\\b|in arbeit|laufend'

/**
 * Words in status names, or their beginnings, English and German, by category. The first match wins.
 * Negations come before what they negate; of words such as "incomplete" nothing is guessed.
 */
const CATEGORY_PATTERNS: [RegExp, StatusCategory][] = [
  [
    /\b(cancel|won['’]?t\b|duplicate|reject|declin|abandon|not planned|abgebrochen|verworfen)/,
    'canceled',
  ],
  [
    new RegExp(`\\b(not|un|non|nicht|to be)( yet)?[ -](${COMPLETED_WORDS}|${STARTED_WORDS})`),
    'unstarted',
  ],
  [/\b(to ?do|open)\b/, 'unstarted'],
  [new RegExp(`\\b(${COMPLETED_WORDS})`), 'completed'],
  [new RegExp(`\\b(${STARTED_WORDS})`), 'started'],
  [/\b(backlog|icebox|later\b|someday|idea|triage|ideen|irgendwann)/, 'backlog'],
]

/** Guesses the category of a status from its name. */
export function guessStatusCategory(name: string): StatusCategory {
  const words = foldCase(name).replaceAll('_', ' ')
  return CATEGORY_PATTERNS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unstarted'
}

/** Any text but a no means completed: most tools write the time of completion. */
export const parseCompleted = (text: string | null): boolean | null =>
  text === null
    ? null
    : !/^(0|no|false|n|nein|open|offen|incomplete|not .*|nicht .*|-)$/i.test(text)

const PRIORITY_PATTERNS: [RegExp, Task['priority']][] = [
  [/^(urgent|highest|critical|blocker|p0|dringend|do now)$/, 'urgent'],
  [/^(high|major|important|p1|hoch)$/, 'high'],
  [/^(medium|normal|moderate|p2|mittel)$/, 'medium'],
  [/^(low|lowest|minor|trivial|p3|p4|niedrig)$/, 'low'],
]

/** The priority that a word names; undefined if it names none. */
export function parsePriority(word: string): Task['priority'] | undefined {
  const folded = foldCase(word.trim())
  if (/^(|-|none|no priority|keine)$/.test(folded)) return 'none'
  return PRIORITY_PATTERNS.find(([pattern]) => pattern.test(folded))?.[1]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const twoDigits = (part: string | undefined) => (part ?? '').padStart(2, '0')

/**
 * The day that a text names: `2026-03-31` with or without a time, `31.3.2026`, `21/Nov/26`, `Mar
 * 31, 2026`, and `3/31/2026` if only one of the numbers can be the month. Undefined if the text
 * names no day or could mean two.
 */
export function parseImportedDay(text: string): string | undefined {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/.exec(text)
  if (iso) return `${iso[1]}-${twoDigits(iso[2])}-${twoDigits(iso[3])}`
  const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: .*)?$/.exec(text)
  if (german) return `${german[3]}-${twoDigits(german[2])}-${twoDigits(german[1])}`
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
      : `${year.length === 2 ? `20${year}` : year}-${twoDigits(String(at + 1))}-${twoDigits(day)}`
  }
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: .*)?$/.exec(text)
  if (!slashed) return undefined
  const [first, second] = [Number(slashed[1]), Number(slashed[2])]
  if (first > 12 && second <= 12)
    return `${slashed[3]}-${twoDigits(slashed[2])}-${twoDigits(slashed[1])}`
  if (second > 12 && first <= 12)
    return `${slashed[3]}-${twoDigits(slashed[1])}-${twoDigits(slashed[2])}`
  return undefined
}

const UNITS: Record<string, number> = { w: 144_000, d: 28_800, h: 3_600, m: 60, s: 1 }

const MAX_DURATION_LENGTH = 64

/** Parses `1h 30m`, `2d` (of eight hours), `90m`, or a bare number of hours into seconds. */
export function parseEstimate(text: string): number | undefined {
  const bare = /^\d+(?:[.,]\d+)?$/.exec(text)
  if (bare) return Math.round(Number(text.replace(',', '.')) * 3_600)
  // Nobody writes so many parts, and the pattern would take long on longer texts.
  if (text.length > MAX_DURATION_LENGTH || !/^(?:\d+(?:\.\d+)?\s*[wdhms]\s*)+$/i.test(text))
    return undefined
  let seconds = 0
  for (const part of text.trim().split(/(?<=[wdhms])/i)) {
    const unit = part.trim().slice(-1).toLowerCase()
    seconds += Number.parseFloat(part) * (UNITS[unit] ?? 0)
  }
  return Math.round(seconds)
}
