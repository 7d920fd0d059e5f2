import { foldCase } from './fold-case.ts'

/** The priorities of a task. */
type Priority = 'none' | 'low' | 'medium' | 'high' | 'urgent'

/** Words for priorities in the languages of those who are most likely to move in. */
const PRIORITY_PATTERNS: [RegExp, Priority][] = [
  [
    /^(urgente?|highest|very high|critical|crit|blocker|showstopper|immediate|emergency|asap|severe|do now|dringend|kritisch|höchste|sehr hoch|sofort|critique|crítica|critica|spoed|pilny|krytyczny|критический|срочно|紧急|緊急|최고|긴급)$/,
    'urgent',
  ],
  [
    /^(high|higher|major|important|must|must[- ]have|hoch|wichtig|haute?|élevée?|alta|alto|hoog|hoge|wysoki|vysoká|hög|høj|høy|korkea|yüksek|высокий|高|高い|높음)$/,
    'high',
  ],
  [
    /^(medium|med|mid|normal|moderate|middle|average|standard|default|should|should[- ]have|mittel|moyenne?|normale|media|médi[ao]|medio|gemiddeld|middel|średni|normalny|střední|mellan|keskitaso|orta|средний|中|中等|보통)$/,
    'medium',
  ],
  [
    /^(low|lower|lowest|very low|minor|trivial|nice to have|could|could[- ]have|won['’]?t|won['’]?t[- ]have|niedrig|niedrigste|gering|sehr niedrig|basse?|faible|baja|baixa|bassa|bajo|laag|lage|niski|nízká|låg|lav|matala|düşük|низкий|低|低い|낮음)$/,
    'low',
  ],
]
const NO_PRIORITY =
  /^(|-|–|—|0|none|no priority|not set|unset|n\/a|null|keine?|aucune|ninguna|nenhuma|nessuna|geen|brak|нет|无|無|なし|없음)$/
/** The most urgent is the first: `P0` and `P1`, `1 - High`. */
const PRIORITIES_BY_NUMBER: readonly Priority[] = ['urgent', 'urgent', 'high', 'medium']

/** `!` to `!!!`, as reminders on phones write them. */
const PRIORITIES_BY_MARKS: readonly Priority[] = ['none', 'low', 'medium', 'high']

/** The priority that a word or number means; undefined if it means none that is known. */
export function parsePriority(word: string): Priority | undefined {
  const folded = foldCase(word.normalize('NFKC').trim())
  const marks = /^!{1,3}$/.exec(folded)?.[0].length
  if (marks !== undefined) return PRIORITIES_BY_MARKS[marks]
  if (NO_PRIORITY.test(folded)) return 'none'
  const [, sign = '', number = '', rest = ''] =
    /^(p|prio|priority|level)?[ #-]?(\d{1,2})(?:[ .:)–-]+(.*))?$/.exec(folded) ?? []
  const [text = ''] = /\p{L}(?:.*\p{L})?/su.exec(number === '' ? folded : rest) ?? []
  const named = PRIORITY_PATTERNS.find(([pattern]) => pattern.test(text))?.[1]
  // Of `1 - High` the word says more than the number.
  if (named || number === '') return named
  return sign === '' && Number(number) > 5
    ? undefined
    : (PRIORITIES_BY_NUMBER[Number(number)] ?? 'low')
}

const UNIT_SECONDS: Record<string, number> = { w: 144_000, d: 28_800, h: 3_600, m: 60, s: 1 }
/** Words for units in English and German, by the letter of the unit. */
const UNIT_WORDS: [RegExp, string][] = [
  [/(?:weeks?|wks?|wochen?)\b/g, 'w'],
  [/(?:days?|tagen?|tage?)\b/g, 'd'],
  [/(?:hours?|hrs?|stunden?|std)\b\.?/g, 'h'],
  [/(?:minutes?|minuten?|mins?)\b\.?/g, 'm'],
  [/(?:seconds?|secs?|sekunden?)\b\.?/g, 's'],
]

const MAX_DURATION_LENGTH = 64

/** Parses `1h 30m`, `1:30`, `2d` (of eight hours), `90 min`, or a bare number of hours into seconds. */
export function parseEstimate(text: string): number | undefined {
  // Nobody writes so many parts, and the pattern would take long on longer texts.
  if (text.length > MAX_DURATION_LENGTH) return undefined
  if (/^\d+(?:[.,]\d+)?$/.test(text)) return Math.round(Number(text.replace(',', '.')) * 3_600)
  const [, hours, minutes] = /^(\d{1,3}):([0-5]\d)(?::00)?$/.exec(text) ?? []
  if (hours !== undefined) return Number(hours) * 3_600 + Number(minutes) * 60
  let words = text.toLowerCase().replace(/(\d),(?=\d)/g, '$1.')
  for (const [pattern, unit] of UNIT_WORDS) words = words.replace(pattern, unit)
  if (!/^(?:\d+(?:\.\d+)?\s*[wdhms][\s,]*)+$/.test(words)) return undefined
  let seconds = 0
  for (const part of words.replaceAll(',', ' ').split(/(?<=[wdhms])/))
    seconds += (Number.parseFloat(part) || 0) * (UNIT_SECONDS[part.at(-1) ?? ''] ?? 0)
  return Math.round(seconds)
}

/** Text up to a comma, a semicolon or a line feed that stands in no quotes. */
const NAME = /(?:"[^"\n]*"|[^,;\n])+/g

/** The names in a cell: of `"Keller, Jonas" <jonas@acme.example>, "Ada"` two. */
export function readCellNames(cell: string, max: number): string[] {
  const names: string[] = []
  for (const [name] of cell.matchAll(NAME)) {
    if (names.length === max) break
    names.push(name.trim().replace(/^"([^"]*)"$/, '$1'))
  }
  return names
}

/** The parts of `Ada <ada@acme.example>` or `Ada (ada@acme.example)`; the address may be missing. */
export function splitAddress(person: string): { name: string; address: string } {
  const [, name = person, address = ''] =
    /^(.*?)[<(]([^<>()@\s]+@[^<>()@\s]+)[>)]$/.exec(person.trim()) ?? []
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}
