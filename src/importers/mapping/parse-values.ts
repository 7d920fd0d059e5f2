import { foldCase } from '#lib/fold-case.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { parseImportedDay } from './parse-days.ts'

/** Beginnings of words in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const COMPLETED_WORDS =
  'done|clos(?!ing|ure)|complet(?!i)|complét|resolv(?!ing)|finish(?!ing)|shipped|released|archiv|erledigt|' +
  'fertig(?!ung|stellung)|abgeschlossen|beendet|terminé|terminad|terminat|fini(?!t|sh)|fait(?!\\p{L})|résolu(?!t)|' +
  'clôturé|hecho|cerrad|finalizad|resuelt|feito|concluíd|fechad|conclus|fatto|chius|risolt|klaar|gereed|' +
  'afgerond|voltooid'
const STARTED_WORDS =
  '(?:in ?)?(?:progress|review|test)|doing|start(?!seite|page|up)|active|wip(?!\\p{L})|qa(?!\\p{L})|in arbeit|laufend|' +
  'in bearbeitung|in fertigung|closing|completing|finishing|resolving|begonnen|begun|angefangen|gestartet|en cours|en curso|en progreso|in corso|em andamento|bezig'

/**
 * Words in status names, or their beginnings, by category. The first match wins. Negations come
 * before what they negate; of words such as "incomplete" nothing is guessed.
 */
const CATEGORY_PATTERNS: [RegExp, StatusCategory][] = [
  [
    /(?<!\p{L})(cancel|won['’]?t(?!\p{L})|duplicate|reject|declin|abandon|not planned|abgebrochen|verworfen|abgelehnt|annulé|geannuleerd|rechazad)/u,
    'canceled',
  ],
  [/(?:取消|キャンセル|취소)/u, 'canceled'],
  [
    new RegExp(
      `(?<!\\p{L})(not|un|non|no|pas|nicht|niet|não|never|to be)( yet| encore| fully| quite| ganz)?[ -](${COMPLETED_WORDS}|${STARTED_WORDS})`,
      'u',
    ),
    'unstarted',
  ],
  [/(?:未完|未着手|未开始|未対応|미완료)/u, 'unstarted'],
  [
    /(?<!\p{L})(to ?do|open|à faire|por hacer|pendiente|da fare|a fazer|te doen)(?!\p{L})/u,
    'unstarted',
  ],
  [/(?<![\d.,])0+(?:[.,]0+)? ?%/, 'unstarted'],
  [/^100 ?%$/, 'completed'],
  [/(?<![\d.,])\d{1,2}(?:[.,]\d+)? ?%/, 'started'],
  [
    new RegExp(
      `(?<!\\p{L})(almost|nearly|half|partial\\p{L}*|partly|fast|beinahe|halb|teilweise|presque|casi|quase|quasi|(?:ready|waiting) to(?: be)?)[ -](${COMPLETED_WORDS})`,
      'u',
    ),
    'started',
  ],
  [new RegExp(`(?<!\\p{L})(${COMPLETED_WORDS})`, 'u'), 'completed'],
  [/(?:完了|完成|完結|완료|готово|выполнен|завершен)/u, 'completed'],
  [new RegExp(`(?<!\\p{L})(${STARTED_WORDS})`, 'u'), 'started'],
  [/(?:进行中|進行中|対応中|진행|в работе)/u, 'started'],
  [/(?<!\p{L})(backlog|icebox|later(?!\p{L})|someday|idea|triage|ideen|irgendwann)/u, 'backlog'],
]

const categoryOf = (name: string): StatusCategory | undefined => {
  const words = foldCase(name).replaceAll('_', ' ').trim()
  return CATEGORY_PATTERNS.find(([pattern]) => pattern.test(words))?.[1]
}

/** Guesses the category of a status from its name. */
export const guessStatusCategory = (name: string): StatusCategory => categoryOf(name) ?? 'unstarted'

/** The whole of a text that says no, or its beginning. */
const NO =
  /^(?:0|no|false|n|nein|non|nee|nej|ne|não|ei|hayır|нет|όχι|いいえ|否|아니요|falsch|faux|falso|offen|incomplete|unresolved|unfinished|undone|unerledigt|unvollständig|pending|ausstehend|none|n\/a|never|nie|☐|□|✗|✘|❌|\[ ?\]|[-–—]|(?:not|nicht|noch nicht|pas|niet)(?: .*)?)$/u

/** What tools write for no value. */
export const isNoValue = (text: string): boolean =>
  /^(null|none|nan|n\/a|[-–—]+)?$/i.test(text.trim())

/** The whole of a text that says yes. */
const YES =
  /^(?:yes|y|true|x|ja|j|wahr|oui|vrai|sí|si|sì|vero|sim|verdadeiro|tak|ano|da|да|evet|kyllä|ναι|はい|是|예|on|checked|✓|✔|☑|✅|■|\[x\])\ufe0f?$/u

/** Whether a text such as a resolution says that nothing is completed. */
export function meansOpen(text: string): boolean {
  const folded = foldCase(text).trim()
  const category = categoryOf(folded)
  return (
    category === 'unstarted' || category === 'started' || category === 'backlog' || NO.test(folded)
  )
}

/**
 * Whether a cell of a column for completed tasks says so. Most tools write the day of completion.
 * Undefined if it says neither yes nor no.
 */
export function parseCompleted(text: string): boolean | undefined {
  const folded = foldCase(text).trim()
  if (meansOpen(folded)) return false
  const isCompleted =
    YES.test(folded) ||
    categoryOf(folded) === 'completed' ||
    Number(folded.replace(',', '.')) >= 1 ||
    parseImportedDay(folded) !== undefined
  if (isCompleted) return true
  return Number.isNaN(Number(folded.replace(',', '.'))) ? undefined : false
}

/** Words for priorities in the languages of those who are most likely to move in. */
const PRIORITY_PATTERNS: [RegExp, Task['priority']][] = [
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
const PRIORITIES_BY_NUMBER: readonly Task['priority'][] = ['urgent', 'urgent', 'high', 'medium']

/** The priority that a word or number means; undefined if it means none that is known. */
export function parsePriority(word: string): Task['priority'] | undefined {
  const folded = foldCase(word.normalize('NFKC').trim())
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
