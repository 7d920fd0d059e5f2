import { dayIn, isDay } from '#lib/days.ts'
import { foldCase } from '#lib/fold-case.ts'
import { giveWay } from '#lib/turns.ts'
import type { ImportedDay, ImportedTask } from '#resources/imports/imported-task.ts'
import type { DateOrder } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'

/** The day that a text of the file means, by the order that the file shows or a person has chosen. */
export function resolveDay(
  { day_order, date_order }: Pick<ImportPlan, 'day_order' | 'date_order'>,
  day: ImportedDay | null,
): string | null {
  if (day === null || typeof day === 'string') return day
  const order = day_order ?? date_order?.order ?? 'day_first'
  return day[order] ?? day[order === 'day_first' ? 'month_first' : 'day_first']
}

/** The dates of a task, of which it has no start that is after the day on which it is due. */
export function resolveImportedDates(
  orders: Pick<ImportPlan, 'day_order' | 'date_order'>,
  row: Pick<ImportedTask, 'start_date' | 'due_date' | 'due_at'>,
  timezone: string,
) {
  const start_date = resolveDay(orders, row.start_date)
  const { due_at = null } = row
  // The time decides on the day.
  const timeDay = due_at === null ? '' : dayIn(timezone, due_at)
  const hasTime = isDay(timeDay)
  const due_date = hasTime ? timeDay : resolveDay(orders, row.due_date)
  const isOrdered = start_date === null || due_date === null || start_date <= due_date
  return {
    due_date,
    due_at: hasTime ? due_at : null,
    start_date: isOrdered ? start_date : null,
    late_start: isOrdered ? null : start_date,
  }
}

/** Counts how the days of a file are written, and decides on the order of day and month. */
export function createDayOrderCounter() {
  /** Days that can only be read in one order, and those that can be read in both. */
  const counts = { day_first: 0, month_first: 0, ambiguous: 0 }
  let example = ''
  function add(day: ImportedDay | null): void {
    if (day === null || typeof day === 'string') return
    const { day_first, month_first, separator } = day
    if (day_first === null) counts.month_first += 1
    else if (month_first === null) counts.day_first += 1
    else {
      counts.ambiguous += 1
      example ||= toExample(day_first, separator)
    }
  }
  return {
    add({ start_date, due_date, comments }: ImportedTask): void {
      add(start_date)
      add(due_date)
      for (const { at } of comments) add(at)
    },
    /**
     * Days that can only be read in one order decide, if they agree. Otherwise the order is a question, to
     * which the earlier answer holds, or else the order of more of these days, or the guess.
     */
    decide(
      before: ImportPlan['date_order'],
      guess: DateOrder,
    ): Pick<ImportPlan, 'day_order' | 'date_order'> {
      const { day_first, month_first, ambiguous } = counts
      const likely =
        day_first === month_first ? guess : day_first > month_first ? 'day_first' : 'month_first'
      const agree = day_first > 0 !== month_first > 0
      if (ambiguous === 0 || agree) return { day_order: likely, date_order: null }
      const order = before?.order ?? likely
      return { day_order: null, date_order: { order, count: ambiguous, example } }
    },
  }
}

/** A text with two readings, as a file writes it: `3/4/2026`. */
function toExample(day: string, separator: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return [date, month, year].join(separator)
}

/** Time zones of the countries that write the month first: the United States and the Philippines. */
const MONTH_FIRST_TIMEZONES =
  /^(US\/|America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Anchorage|Detroit|Boise|Indiana|Indianapolis|Kentucky|Louisville|North_Dakota|Menominee|Juneau|Sitka|Nome|Yakutat|Metlakatla|Adak|Puerto_Rico)|Pacific\/(Honolulu|Guam|Pago_Pago|Saipan)|Asia\/Manila)/

/** The order of day and month that is usual where a time zone is. */
export const guessDateOrder = (timezone: string): DateOrder =>
  MONTH_FIRST_TIMEZONES.test(timezone) ? 'month_first' : 'day_first'

/** A longer text is no day. */
const MAX_DAY_LENGTH = 100

/**
 * The day that a text names, in digits or with a month in any language that Node knows, with or
 * without a weekday and a time: `2026-03-31`, `20260331`, `31.3.26`, `31/Mar/26`, `Tue, 31 Mar 2026`,
 * `31 de marzo de 2026`, `2026年3月31日`. Where the order of day and month matters, as in `3/4/2026`,
 * both readings are returned. Undefined if the text names no day, or not all of it is understood:
 * `every 31 March` is more than a day.
 */
export function parseImportedDay(text: string): ImportedDay | undefined {
  if (text.length > MAX_DAY_LENGTH) return undefined
  const folded = foldDigits(text.normalize('NFKC'))
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\u0085]+/gu, ' ')
    .trim()
    .toLowerCase()
  return parseCompact(folded) ?? parseNumbers(folded) ?? parseWords(folded)
}

/** The digits of every script in ASCII. In Unicode each script has its ten digits in a row. */
const foldDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
    return String(value)
  })

/** `20260331`, also with a time as in calendar files. */
function parseCompact(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)(?:t\d{4,6}z?)?$/.exec(text) ?? []
  return toDay(year, month, day)
}

const DASHES = /[\u2010-\u2015\u2212]/g
/** Three numbers with the same sign between them, after a weekday if there is one. */
const NUMBERS =
  /^(?:(\p{L}[\p{L}\p{M}.]*),? )?(\d{1,4}) ?([-/. ]) ?(\d{1,2}) ?\3 ?(\d{1,4})(?!\d)\.?(.*)$/u

function parseNumbers(folded: string): ImportedDay | undefined {
  const match = NUMBERS.exec(folded.replace(DASHES, '-'))
  if (!match) return undefined
  const [, word, first = '', separator = '', second = '', third = '', rest = ''] = match
  if ((word !== undefined && !isIgnoredWord(word)) || !isTime(rest)) return undefined
  if (first.length === 4 || Number(first) > 31) return toDay(first, second, third)
  const day_first = toDay(third, second, first) ?? null
  const month_first = toDay(third, first, second) ?? null
  if (day_first === null && month_first === null) return undefined
  // 3/3/2026 is no question.
  if (day_first === month_first) return day_first ?? undefined
  // Nobody writes the month first with dots, unless there is no such day otherwise.
  if (separator === '.' && day_first !== null) return day_first
  return { separator, day_first, month_first }
}

/** Whether the text after a day is a time, or nothing. What it says of the zone is left out. */
function isTime(rest: string): boolean {
  if (rest === '') return true
  if (!/^[t ,[(]/.test(rest) || /\d[-/.]\d+[-/.]\d/.test(rest)) return false
  const words =
    rest
      .replace(/^t(?=\d)/, ' ')
      .replace(ZONE, '')
      .match(WORD) ?? []
  return words.every(isIgnoredWord)
}

/** A zone in brackets at the end: `(Central European Summer Time)`, `(GMT+02:00)`, `[Europe/Zurich]`. */
const ZONE =
  /\((?:[^()]*(?:(?:standard|daylight|summer|universal|mean) time|zeit|tijd|時|时间)|(?:heure|hora|ora|horário|время|czas) [^()]*|(?:utc|gmt)[ +\-:\d]*)\)$|\[[a-z_]+\/[a-z\d_/+-]+\]$/
const TIME =
  /(?:^|[ t,])\d{1,2}[:h]\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:[ap]\.? ?m\b\.?|uhr\b))?(?: ?(?:z|utc|gmt))?(?: ?[+-]\d{1,2}(?::?\d{2})?)?(?![\p{L}\d])|(?:^|[ t,])\d{1,2} ?[ap]\.?m\b\.?/u
/** Years, months and days in Chinese, Japanese and Korean follow their numbers without a blank. */
const WORD = /[年月日년월일]|\p{L}[\p{L}\p{M}\p{Cf}.:'’॰]*/gu

/** A day with the name of a month, or with words for year, month and day between the numbers. */
function parseWords(folded: string): string | undefined {
  const text = folded.replace(ZONE, '').replace(TIME, ' ')
  const words = (text.match(WORD) ?? []).map(foldWord)
  const numbers = text.match(/\d+/g) ?? []
  const named = words.filter((word) => monthByName.has(word))
  if (words.length === 0 || words.some((word) => !monthByName.has(word) && !isIgnoredWord(word)))
    return undefined
  // The short name of Tuesday in French is that of March.
  const certain = named.filter((word) => !isIgnoredWord(word))
  const months = new Set((certain.length > 0 ? certain : named).map((it) => monthByName.get(it)))
  const [first = '', second = '', third = ''] = numbers
  if (months.size === 0 && numbers.length === 3)
    return first.length === 4 ? toDay(first, second, third) : toDay(third, second, first)
  if (months.size !== 1 || numbers.length !== 2) return undefined
  const isYearFirst = first.length === 4 || Number(first) > 31
  const [year, day] = isYearFirst ? [first, second] : [second, first]
  return toDay(year, String([...months][0]), day)
}

/** Thailand counts years from the death of the Buddha. */
const fromBuddhistYear = (year: string): string =>
  /^2[4-6]\d\d$/.test(year) ? String(Number(year) - 543) : year

const FIRST_TWO_DIGIT_YEAR = 1970

/** The day of three texts of digits, if there is such a day. */
function toDay(year = '', month = '', day = ''): string | undefined {
  if (!/^(?:\d\d|\d{4})$/.test(year) || !/^\d\d?$/.test(month) || !/^\d\d?$/.test(day))
    return undefined
  const [century, next] = [Math.floor(FIRST_TWO_DIGIT_YEAR / 100), FIRST_TWO_DIGIT_YEAR % 100]
  const fullYear =
    year.length === 4
      ? fromBuddhistYear(year)
      : `${Number(year) < next ? century + 1 : century}${year}`
  const text = `${fullYear}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(text) ? text : undefined
}

const foldWord = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}.:'’॰]/gu, '')

/** The numbers of months by their folded names. */
const monthByName = new Map<string, number>([
  // As Excel writes it in German.
  ['mrz', 3],
])
/** Folded weekdays, time zones, and what languages put between day, month and year. */
const ignoredWords = new Set(
  (
    'st nd rd th er o the of at um uhr klo kl à le am pm a p m t z h utc gmt est edt cst cdt mst mdt pst pdt ' +
    'cet cest bst wet west eet eest msk ist jst г р 年 月 日 년 월 일 ngày tháng năm พศ'
  ).split(' '),
)
const isIgnoredWord = (word: string): boolean => ignoredWords.has(foldWord(word))

/**
 * Few names mean different months in two languages. If one of them is here, it wins: `listopad` is
 * November in Polish and Czech, October in Croatian. Otherwise the name is not read.
 */
const FIRST_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'cs', 'ru', 'uk', 'sv']

let loading: Promise<void> | undefined

/**
 * Loads the names of months in all languages that Node knows, which takes about a second, in short
 * turns. Without them only numbers are understood.
 */
export function loadMonthNames(): Promise<void> {
  loading ??= addAllLanguages()
  return loading
}

async function addAllLanguages(): Promise<void> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  const contested = new Set<string>()
  for (const code of new Set([...FIRST_LANGUAGES, ...codes])) {
    if (Intl.DateTimeFormat.supportedLocalesOf(code).length === 0) continue
    for (const [name, month] of readLanguage(code)) {
      const other = monthByName.get(name)
      if (other === undefined) monthByName.set(name, month)
      else if (other !== month && !firstNames.has(name)) contested.add(name)
      if (FIRST_LANGUAGES.includes(code)) firstNames.add(name)
    }
    await giveWay()
  }
  for (const name of contested) monthByName.delete(name)
}

const firstNames = new Set<string>()

/** Names stand differently alone and in a date: `март`, but `31 марта`. */
const MONTH_FORMATS: Intl.DateTimeFormatOptions[] = [
  { month: 'long' } as const,
  { month: 'short' } as const,
  { dateStyle: 'long' } as const,
  { dateStyle: 'medium' } as const,
]
const WEEKDAY_FORMATS: Intl.DateTimeFormatOptions[] = [
  { dateStyle: 'full' },
  { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
]

/** The names of months in a language. Adds the other words of its dates to `ignoredWords`. */
function readLanguage(code: string): Map<string, number> {
  const months = new Map<string, number>()
  const wordsOf = (options: Intl.DateTimeFormatOptions, days: readonly number[]) => {
    const format = new Intl.DateTimeFormat(`${code}-u-ca-gregory`, { ...options, timeZone: 'UTC' })
    return days.map((day) => (format.format(day).match(WORD) ?? []).map(foldWord))
  }
  const inEachMonth = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15))
  for (const options of MONTH_FORMATS) {
    const lists = wordsOf(options, inEachMonth)
    const isConstant = (word: string) => lists.every((words) => words.includes(word))
    for (const [at, words] of lists.entries()) {
      const [name, ...more] = words.filter((word) => !isConstant(word))
      // A name of two words is not read.
      if (name !== undefined && more.length === 0) months.set(name, at + 1)
      for (const word of words) if (isConstant(word)) ignoredWords.add(word)
    }
  }
  const inOneWeek = Array.from({ length: 7 }, (_, at) => Date.UTC(2026, 0, at + 1))
  for (const options of WEEKDAY_FORMATS) {
    for (const words of wordsOf(options, inOneWeek))
      for (const word of words) if (months.get(word) !== 1) ignoredWords.add(word)
  }
  return months
}

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

/** The category that the name of a status says; undefined if it says none. */
export const statusCategoryOf = (name: string): StatusCategory | undefined => {
  const words = foldCase(name).replaceAll('_', ' ').trim()
  return CATEGORY_PATTERNS.find(([pattern]) => pattern.test(words))?.[1]
}

/** Guesses the category of a status from its name. */
export const guessStatusCategory = (name: string): StatusCategory =>
  statusCategoryOf(name) ?? 'unstarted'

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
  const category = statusCategoryOf(folded)
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
    statusCategoryOf(folded) === 'completed' ||
    Number(folded.replace(',', '.')) >= 1 ||
    parseImportedDay(folded) !== undefined
  if (isCompleted) return true
  return Number.isNaN(Number(folded.replace(',', '.'))) ? undefined : false
}
