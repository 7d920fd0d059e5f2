import { isDay } from '#lib/days.ts'
import { giveWay } from '#lib/turns.ts'
import type { ImportedDay } from '#resources/imports/imported-task.ts'

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
