import { foldAccents } from './fold-case.ts'
import {
  type DateContext,
  findMonth,
  findWeekday,
  normalizeTyped,
  parseTypedDate,
  parseTypedRepeat,
  translateTypedWords,
} from './typed-dates.ts'
import { parseDuration } from './typed-duration.ts'

/** The priorities, the lowest first. */
export const TYPED_PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** A value of a task, and the words that somebody has typed for it. */
export type TypedValue =
  | { kind: 'tag'; typed: string; id: string; name: string }
  | { kind: 'new tag'; typed: string; name: string }
  | { kind: 'who'; typed: string; id: string; name: string }
  | { kind: 'priority'; typed: string; priority: (typeof TYPED_PRIORITIES)[number] }
  | { kind: 'status'; typed: string; key: string; label: string }
  | { kind: 'due'; typed: string; date: string; time?: string; seconds?: number }
  | { kind: 'repeat'; typed: string; rrule: string; date: string; time?: string }
  | { kind: 'estimate'; typed: string; seconds: number }

/** What the words of a sentence can mean. */
export interface SentenceContext extends DateContext {
  tags: readonly NameableRecord[]
  members: readonly NameableRecord[]
  /** The id of the member who types. */
  me: string
  /** Whether the user may create tags that do not exist yet. */
  canCreateTags: boolean
}

interface NameableRecord {
  id: string
  name: string
}

/** A value with the place of its words in the text. */
export interface SentenceToken {
  value: TypedValue
  start: number
  end: number
}

/** A sentence without the words that are values. */
interface ReadSentence {
  title: string
  tokens: readonly SentenceToken[]
  /** The values of all tokens: one of each kind, but all tags and people. */
  values: readonly TypedValue[]
}

interface ReadOptions {
  /** Words that were given back and stay text. */
  textWords?: ReadonlySet<string>
  /** Whether a name at the end may go on, so that it is not yet taken. */
  isTyping?: boolean
  /** What has been shown as a value of the same words before (`listShownTokens`), and stays one. */
  shown?: readonly SentenceToken[]
}

/**
 * The tokens of a text that stay while somebody goes on typing: those that a space has ended, unless the
 * text is another one up to there.
 */
export const listShownTokens = (
  tokens: readonly SentenceToken[],
  before: string,
  text: string,
): readonly SentenceToken[] =>
  tokens.filter(
    ({ end }) => /\s/.test(before.charAt(end)) && text.startsWith(before.slice(0, end + 1)),
  )

/** Code in backticks, also while it is being typed. */
const CODE = /`[^`]*`|(?<!\S)`[^`]*$/g

/** Whether a place in a sentence is in code, where nothing is a name. */
export const isWithinCode = (text: string, at: number): boolean =>
  text
    .slice(0, at)
    .replace(/`[^`]*`/g, '')
    .search(/(?<!\S)`/) >= 0

interface SentenceWord {
  text: string
  start: number
  end: number
}

/** A token as it is found, of which a time alone joins the day that stands elsewhere. */
interface FoundToken extends SentenceToken {
  isTimeAlone?: boolean
  /** Its words are part of something else, as is known since more has been typed. */
  isInTitle?: boolean
}

/** "due until the day after tomorrow at 14:00" */
const MAX_WORDS = 9

/**
 * Finds the values in a typed sentence, wherever they stand: `#tag`, `@name`, `!high`, `p1`, days, times, repetitions and
 * estimates that mean nothing else (`friday 9am`, `every 2 weeks`, `3h`). What a word means depends on those
 * before it, and on those after it only if all are one date, so that it stays while the sentence goes on.
 * A date is read as a whole or not at all; what has been shown of one stays a value, and its words stay in the title
 * as well. At least one word stays text.
 */
export function readSentence(
  text: string,
  context: SentenceContext,
  { textWords = new Set(), isTyping = false, shown = [] }: ReadOptions = {},
): ReadSentence {
  const words = [...text.matchAll(/\S+/g)].map(
    ({ 0: word, index }): SentenceWord => ({ text: word, start: index, end: index + word.length }),
  )
  const code = [...text.matchAll(CODE)].map(
    ({ 0: part, index }) => [index, index + part.length] as const,
  )
  const isCode = ({ start, end }: SentenceWord) =>
    code.some(([from, to]) => start < to && end > from)
  const tokens: FoundToken[] = []
  let hasText = false
  for (let at = 0; at < words.length; ) {
    const word = words[at]
    if (!word) break
    const reading = { words, at, isFirst: !hasText, tokens, isTyping: isTyping && /\S$/.test(text) }
    const found = isCode(word) ? undefined : findValue(reading, context)
    const match = keepShown(found, shown, reading)
    if (!match) {
      hasText ||= /[\p{L}\p{N}]/u.test(word.text)
      at += 1
      continue
    }
    const { length, ...token } = match
    const last = words[at + length - 1] ?? word
    if (textWords.has(token.value.typed) || token.isInTitle) hasText = true
    if (!textWords.has(token.value.typed))
      tokens.push({ ...token, start: word.start, end: last.end })
    at += length
  }
  // A sentence that is nothing but days and times is a title.
  const kept = hasText ? tokens : tokens.filter(({ value }) => isMarked(value))
  const taken = kept.filter(({ isInTitle }) => !isInTitle)
  return { title: toTitle(text, taken), tokens: kept, values: mergeTokens(kept) }
}

/** What is found at a word, unless more of it, or anything at all, has been shown as a value there. */
function keepShown(
  found: ValueMatch | undefined,
  shown: readonly SentenceToken[],
  { words, at }: SentencePosition,
): ValueMatch | undefined {
  const former = shown.find(({ start }) => start === words[at]?.start)
  if (!former) return found
  const length = words.filter(({ start, end }) => start >= former.start && end <= former.end).length
  const isSame = typedFrom(words, at, length) === former.value.typed
  if (!isSame || (found && found.length >= length)) return found
  const { start: _, end: __, ...token } = former
  return { ...token, length, isInTitle: true }
}

/** The text without the words of its tokens, and without what only led to them. */
function toTitle(text: string, tokens: readonly SentenceToken[]): string {
  if (tokens.length === 0) return text.trim()
  const edges = [0, ...tokens.flatMap(({ start, end }) => [start, end]), text.length]
  const parts = edges.flatMap((from, at) =>
    at % 2 === 0 ? text.slice(from, edges[at + 1]).trim() || [] : [],
  )
  return parts
    .join(' ')
    .replace(/^[,;:.–-]+\s+/, '')
    .replace(/(?:[,;]|\s(?:and|und|&)){1,9}$/i, '')
}

/** One value of each kind, but all names: what has a mark replaces what was before. */
function mergeTokens(tokens: readonly FoundToken[]): TypedValue[] {
  const time = tokens.find(({ isTimeAlone }) => isTimeAlone)?.value
  const hasDay = ({ value, isTimeAlone }: FoundToken) => 'date' in value && !isTimeAlone
  const day = tokens.find(hasDay)
  let values: readonly TypedValue[] = []
  for (const { value, isTimeAlone } of tokens) {
    if (isTimeAlone && day) continue
    const isTimed = value === day?.value && 'date' in value && value.time === undefined
    const clock = isTimed && time?.kind === 'due' ? { time: time.time, seconds: time.seconds } : {}
    values = mergeValues(values, [{ ...value, ...withoutUndefined(clock) }])
  }
  return [...values]
}

const withoutUndefined = (clock: { time?: string | undefined; seconds?: number | undefined }) => ({
  ...(clock.time !== undefined && { time: clock.time }),
  ...(clock.seconds !== undefined && { seconds: clock.seconds }),
})

/** Adds values; of tags and assignees all are kept, of all else the latest. */
export function mergeValues(
  values: readonly TypedValue[],
  more: readonly TypedValue[],
): readonly TypedValue[] {
  let merged = [...values]
  for (const value of more) {
    merged = merged.filter((one) =>
      'name' in value ? getValueKey(one) !== getValueKey(value) : one.kind !== value.kind,
    )
    merged.push(value)
  }
  return merged
}

/** A text that two values share if they cannot both be of one task. */
export const getValueKey = (value: TypedValue): string =>
  `${value.kind} ${'id' in value ? value.id : 'name' in value ? foldName(value.name) : ''}`

/** A name without case and accents; its words may be joined, as in `#needs-design`. */
export const foldName = (name: string): string =>
  foldAccents(name)
    .replace(/[\s_-]+/g, ' ')
    .trim()

/**
 * The record with exactly this name, else the one whose whole name it is apart from case, accents and
 * how its words are joined. A part of a name, or a name without its full stops, is another one.
 */
export function findWholeName<R extends { name: string }>(
  name: string,
  all: readonly R[],
): R | undefined {
  const exact = all.find((one) => one.name === name)
  if (exact) return exact
  const wanted = foldName(name)
  const matches = all.filter((one) => foldName(one.name) === wanted)
  const isSameApartFromCase = (one: R) => one.name.toLowerCase() === name.toLowerCase()
  return matches.find(isSameApartFromCase) ?? (matches.length === 1 ? matches[0] : undefined)
}

/** A value at a word, and how many words it takes. */
interface ValueMatch {
  value: TypedValue
  length: number
  isTimeAlone?: boolean
  isInTitle?: boolean
}

/** Where a sentence is being read. */
interface SentencePosition {
  words: readonly SentenceWord[]
  at: number
  /** Whether only values are before it. */
  isFirst: boolean
  tokens: readonly FoundToken[]
  isTyping: boolean
}

const isMarked = ({ typed }: TypedValue): boolean => /^[#@!]|^(due|fällig)\b/i.test(typed)

function findValue(reading: SentencePosition, context: SentenceContext): ValueMatch | undefined {
  const marked = findMarked(reading, context)
  if (marked) return marked
  const { words, at } = reading
  if (isLedInto(reading, context)) return undefined
  let most = 0
  while (most < MAX_WORDS && isDateWord(words[at + most]?.text ?? '', context)) most += 1
  for (let length = most; length > 0; length -= 1) {
    const typed = typedFrom(words, at, length)
    const match = readUnmarked(typed, context)
    if (!match) continue
    // What is not taken as a whole is left as a whole: of "next friday" nothing remains but a day.
    return mayStandHere(match, { ...reading, length }, context) ? { ...match, length } : undefined
  }
  return undefined
}

const typedFrom = (words: readonly SentenceWord[], at: number, length: number): string =>
  words
    .slice(at, at + length)
    .map(({ text }) => text)
    .join(' ')

/** A value that its mark makes certain. */
function findMarked(reading: SentencePosition, context: SentenceContext): ValueMatch | undefined {
  const { words, at } = reading
  const word = words[at]?.text ?? ''
  if (/^due:?$/.test(translateTypedWords(word, context.language))) {
    for (let length = Math.min(MAX_WORDS, words.length - at) - 1; length > 0; length -= 1) {
      const rest = typedFrom(words, at + 1, length)
      const bare = rest.replace(BEFORE_DAY, '$2').replace(/[.,;:!?]+$/, '')
      const typed = `${word} ${rest}`
      const due = toDue(typed, rest, context) ?? toDue(typed, bare, context)
      if (due && !isBrokenOff({ ...reading, length: length + 1 }, context))
        return { value: due.value, length: length + 1 }
    }
    return undefined
  }
  if (/^[@#]./.test(word)) return findMarkedName(reading, context)
  const priority = readPriority(word, context)
  return priority && { value: priority, length: 1 }
}

/** Colours of style sheets: `#ff5500`, `#FFF`, `#0f08`. */
const COLOUR = /^(?=.*\d|(.)\1+$)(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$|^[\da-f]{6}$/i

/** "@me", "@robin", "@Robin Keller" or "#needs design": the longest whole name that is typed. */
function findMarkedName(
  { words: all, at, isTyping }: SentencePosition,
  { tags, members, me, canCreateTags, language }: SentenceContext,
): ValueMatch | undefined {
  const words = all.slice(at)
  const isTag = words[0]?.text.startsWith('#')
  const records: readonly NameableRecord[] = isTag ? tags : members
  const nameOf = (length: number) => typedFrom(words, 0, length).slice(1)
  const withoutEnd = (name: string) => name.replace(/[.,;:!?)]+$/, '')
  const toMatch = ({ id, name }: NameableRecord, length: number): ValueMatch => {
    const typed = typedFrom(words, 0, length)
    return { value: { kind: isTag ? 'tag' : 'who', typed, id, name }, length }
  }
  const findWhole = (name: string) =>
    findWholeName(name, records) ?? findWholeName(withoutEnd(name), records)
  const wordCounts = records.map((one) => one.name.split(/\s+/).length)
  for (let length = Math.min(Math.max(...wordCounts), words.length); length > 1; length -= 1) {
    const record = findWhole(nameOf(length))
    if (record) return toMatch(record, length)
  }
  const typed = nameOf(1)
  const name = withoutEnd(typed)
  if (name === '') return undefined
  const isMe = !isTag && translateTypedWords(name, language) === 'me'
  const record = isMe ? members.find(({ id }) => id === me) : findWhole(typed)
  if (record) return toMatch(record, 1)
  // The last word of a name is part of it while it is being typed.
  if (isTyping && mayGoOn(nameOf(words.length), records, words.length === 1)) return undefined
  const person = isTag ? undefined : findByPartOfName(name, words[1]?.text, members, language)
  if (person) return toMatch(person, 1)
  const isNewTag = isTag && canCreateTags && /^[\p{L}\p{N}]/u.test(name)
  if (!isNewTag || /^\d+$/.test(name) || COLOUR.test(name)) return undefined
  return { value: { kind: 'new tag', typed: words[0]?.text ?? '', name }, length: 1 }
}

/** Whether what is typed to the end of a text may become a name: one of those, or a single new word. */
const mayGoOn = (typed: string, records: readonly NameableRecord[], isOneWord: boolean): boolean =>
  isOneWord || records.some((one) => foldName(one.name).startsWith(foldName(typed)))

/**
 * "@keller", if only one person has that name. Before another capitalized name ("@Robin Schmidt")
 * it is more likely that of somebody else.
 */
function findByPartOfName(
  name: string,
  next: string | undefined,
  members: readonly NameableRecord[],
  language: DateContext['language'],
): NameableRecord | undefined {
  const isLongerName =
    /^\p{Lu}/u.test(name) &&
    /^\p{Lu}/u.test(next ?? '') &&
    !MAY_BE_CAPITALIZED.test(translateTypedWords(next ?? '', language))
  if (isLongerName) return undefined
  const wanted = foldName(name)
  const matches = members.filter((one) =>
    one.name.split(/\s+/).some((part) => foldName(part) === wanted),
  )
  return matches.length === 1 ? matches[0] : undefined
}

/** "!high", "!med" */
function readPriority(typed: string, { language }: SentenceContext): TypedValue | undefined {
  const [, word = ''] = /^!(\p{L}{3,})[,;.]?$/u.exec(typed) ?? []
  const english = translateTypedWords(word, language)
  const priority = word && TYPED_PRIORITIES.find((one) => one.startsWith(english))
  return priority ? { kind: 'priority', typed, priority } : undefined
}

/** Words that say something of what is after them, which is part of the title then. */
const NEEDS_WHAT_FOLLOWS = new RegExp(
  `^(${[
    'the|of|an?|and|or|to|from|since|after|than|per|about|last|past|each|every|next|this|within|under|over|overnext',
    'in|at|on|by|with|for|between|during|as|not|no|vs\\.?|until|till|before|starting|beginning|[-–—&+/]',
    'my|our|your|his|her|their|its|mein|meine[nmrs]?|unser|unsere[nmrs]?|ihre?[nmrs]?|seine?[nmrs]?',
    'dem|die|das|von|vom|zu|zur|zum|auf|seit|nach|ab|am|im|bis|vor|oder|über|für|letzte[nrs]?|pro|mit|binnen|innerhalb|als',
    'rename|replace',
    'black|cyber|good|easter|blue|ruby|casual|happy|ash|palm|super|guten?|schöne[ns]?',
  ].join('|')})$`,
)
/** Words after which a number names something else than a day or time. */
const NAMES_NUMBER =
  /^(v|ver|version|versions?nummer|release|node|node\.js|python|java|php|go|rust|postgres|postgresql|ios|android|chapter|section|sections?|part|rule|clause|article|figure|table|step|lesson|exercise|page|pages|room|gate|score|ratio|kapitel|abschnitt|teil|punkt|absatz|paragraph|artikel|abbildung|tabelle|schritt|seite|seiten|raum|zimmer|see|siehe|p\.|§|nr\.?|no\.|#)$/
const HOLIDAY =
  /^(christmas|xmas|easter|thanksgiving|halloween|eve|weihnachten|heiligabend|ostern|pfingsten|silvester|neujahr)$/

/** Whether the word before needs what follows: "the 9am train", "to friday", "Black friday". */
function isLedInto(reading: SentencePosition, { language }: SentenceContext): boolean {
  const before = findWordBefore(reading)
  return before !== undefined && NEEDS_WHAT_FOLLOWS.test(translateTypedWords(before, language))
}

/** The word before, unless that is a part of a value. */
function findWordBefore({ words, at, tokens }: SentencePosition): string | undefined {
  const before = words[at - 1]
  return before && tokens.at(-1)?.end === before.end ? undefined : before?.text
}

const MOVES = /^(move|reschedule|postpone|shift|verschieb|verleg)/i
const UPDATES = /^(up(date|grade)|aktualisier|install|bump|migrat|migrier)/i

/** "Install Firefox 12.5.": the number of a thing with a name, or of what is updated, is no day. */
const isVersion = ({ words, at }: SentencePosition, language: DateContext['language']): boolean =>
  words.slice(0, at).some(({ text }) => UPDATES.test(text)) ||
  (isEnglish(language) && at > 1 && /^\p{Lu}/u.test(words[at - 1]?.text ?? ''))

const isEnglish = ({ words }: DateContext['language']): boolean => Object.keys(words).length === 0

const ADVERB = /^(bi)?(dai|week|month|quarter|year|annual)ly[.,;:!?]*$/i

/** The number of words before that are no values. */
const findWordsBefore = ({ words, at, tokens }: SentencePosition): number =>
  words
    .slice(0, at)
    .filter(({ start }) => !tokens.some((one) => start >= one.start && start < one.end)).length

interface SentenceSpan extends SentencePosition {
  length: number
}

/** Whether the words of a value are no part of something else. */
function mayStandHere(
  match: Omit<ValueMatch, 'length'>,
  reading: SentenceSpan,
  context: SentenceContext,
): boolean {
  const { words, at, length, isFirst, tokens } = reading
  const { value, isTimeAlone } = match
  const { language } = context
  const taken = words.slice(at, at + length).map(({ text }) => text)
  // One of each kind: of "Call friday, write monday" the first. A time alone may belong to a day elsewhere.
  const hasTime = (one: TypedValue) => 'date' in one && one.time !== undefined
  const isSecond = tokens.some(
    (one) =>
      (one.value.kind === value.kind && Boolean(one.isTimeAlone) === Boolean(isTimeAlone)) ||
      (hasTime(one.value) && hasTime(value)),
  )
  if (isSecond || isTitleCase(taken.slice(at === 0 ? 1 : 0), language)) return false
  const before = translateTypedWords(findWordBefore(reading) ?? '', language)
  if (/\d/.test(value.typed) && NAMES_NUMBER.test(before)) return false
  if (/^\d+\.\d+\.?$/.test(taken[0] ?? '') && isVersion(reading, language)) return false
  if (isFirst && !isClearInFront(value, reading, context)) return false
  // "Write weekly reports": behind a single word it is more often an adjective.
  if (ADVERB.test(value.typed) && findWordsBefore(reading) < 2) return false
  // "Move it from 3pm to 4pm"
  if (/^(from|von) /i.test(value.typed) && words.slice(0, at).some(({ text }) => MOVES.test(text)))
    return false
  if (value.kind === 'due' || value.kind === 'repeat')
    return !isContinued(match, reading, context) && !isBrokenOff(reading, context)
  return true
}

/** Whether what is before is a part of the same date, which could not be read: "Dec 15-17 9am". */
function isContinued(
  { value, isTimeAlone }: Omit<ValueMatch, 'length'>,
  reading: SentencePosition,
  context: SentenceContext,
): boolean {
  const { words, at } = reading
  const { language } = context
  const raw = findWordBefore(reading)
  if (raw === undefined) return false
  const before = translateTypedWords(raw, language).replace(/[,;]$/, '')
  const earlier = translateTypedWords(words[at - 2]?.text ?? '', language)
  // "2 days before friday"
  if (/^(before|vor) /i.test(value.typed) && UNIT_ALONE.test(before)) return true
  if (
    /^(kw|cw|week|q[1-4]|(end|start|middle|beginning)( of)?|mid|early|late)$/.test(before) ||
    HOLIDAY.test(before)
  )
    return true
  if (/^(kw|cw|week)$/.test(earlier) && /^\d/.test(before)) return true
  if (
    ADVERB.test(before) ||
    before.split(/[-–/]/).every(isDayName) ||
    /^\d{1,2}(st|nd|rd|th)$/.test(before)
  )
    return true
  if (/^\d{1,4}[/-]\d{1,2}([/-]\d{1,4})?$/.test(before)) return true
  if (
    isTimeAlone &&
    /^(\d{1,4}([./-]\d{1,4})+\.?|\d{1,2}\.|mid|weeks?|months?|days?)$/.test(before)
  )
    return true
  // "Firefox 12.5. today", but "vom 1.12. bis 5.12."
  if (/^\d+\.\d+\.?$/.test(before) && !/^(until|till|bis) /i.test(value.typed)) return false
  // "from 1 Dec until 5 Dec"
  return [before, `${earlier} ${before}`].some((one) => parseTypedDate(one, context)?.date)
}

const isDayName = (word: string): boolean => {
  const name = word.replace(/\.$/, '')
  return findWeekday(name, 3) !== undefined || findMonth(name) !== undefined
}

const JOINS_DATES = /^([-–—/&+]|and|or|to|until|till|through|bis|oder)$/

/** "on the 1st floor", "am 3. Tag" */
const COUNTED = /^(day|week|month|year|hour|floor|stock|etage|attempt|versuch|page|seite)s?$/

/** Whether the date goes on in a way that cannot be read: "friday to monday", "1 Dec – 5 Dec", "friday 25:00". */
function isBrokenOff({ words, at, length }: SentenceSpan, context: SentenceContext): boolean {
  const last = words[at + length - 1]?.text ?? ''
  const [after = '', ...others] = words.slice(at + length, at + length + 6).map(({ text }) => text)
  const next = translateTypedWords(after, context.language).replace(/[.,;!?]+$/, '')
  if (JOINS_DATES.test(next)) {
    if (/^([-–—]|to|until|bis)$/.test(next) && /^\d{1,2}\b/.test(others[0] ?? '')) return true
    return others.some((_, to) => parseTypedDate(others.slice(0, to + 1).join(' '), context)?.date)
  }
  if (/^\d+(\.|st|nd|rd|th)$/.test(last) && COUNTED.test(next)) return true
  if (/[.;:!?)]$/.test(last)) return false
  if (/^\d{1,2}(:\d\d)?(am|pm)$|^\d{1,2}:\d\d$|^[-–—/]\d/.test(next)) return true
  return isDayName(next) && (/,$/.test(last) || /day$/.test(next))
}

/** In front of a sentence a day alone is more often a part of the title: "Friday plan". */
function isClearInFront(
  value: TypedValue,
  { words, at, length }: SentenceSpan,
  { language }: SentenceContext,
): boolean {
  const last = words[at + length - 1]?.text ?? ''
  if (/[,:;]$/.test(last) || (value.kind !== 'due' && value.kind !== 'repeat')) return true
  const english = normalizeTyped(value.typed, language)
  if (value.kind === 'repeat') return /^(every|each|on|am|\w+ly (on|at|am)) /.test(english)
  if (findWeekday(english.replace(/\.$/, ''), 2) !== undefined) return false
  const next = words[at + length]?.text ?? ''
  // "Tomorrow Never Dies", but in German "Morgen Milch kaufen".
  return !(
    isEnglish(language) &&
    /^\p{Lu}/u.test(next) &&
    /^(today|tomorrow|today night)$/.test(english)
  )
}

/** The words that values without a mark are made of; all others end a value, so that a long text is read fast. */
const DATE_WORD = new RegExp(
  `^(${[
    String.raw`.*\d.*|[~½¼¾].*|[-–—&+]`,
    'on|by|until|till|before|am|pm|bis|spätestens|zum|vor|for|für|est|estimate|ca|in|im|at|the|an?|and|from|von|to|of|after|ago',
    'this|next|coming|last|overnext|end|start|beginning|starting|middle|mid|early|now|half|halb|other|first|second|third|fourth',
    'kw|cw|weekend|weekdays?|workdays?|days?|weeks?|months?|quarters?|years?|every|each|(bi)?(dai|week|month|quarter|year|annual)ly',
    'tod|tom|tmrw?|today|tomorrow|tonight|morning|noon|afternoon|evening|night|midnight|eo[dwmy]',
    "h|hrs?|hours?|m|mins?|minutes?|d|w|y|uhr|o['’]clock|one|two|three|four|five|six|seven|eight|nine|ten|[ap]\\.m",
  ].join('|')})$`,
)

const isDateWord = (word: string, { language }: SentenceContext): boolean =>
  translateTypedWords(word.replace(/^\(|[.,;:!?)]+$/g, ''), language)
    .split(/ |(?<=^mid)-/)
    .every(
      (one) =>
        DATE_WORD.test(one) ||
        (one.length > 1 && findWeekday(one.replace(/s$/, ''), 2) !== undefined) ||
        findMonth(one) !== undefined,
    )

const UNIT = 'd|days?|w|weeks?|m|months?|y|years?'
const UNIT_ALONE = /^(minutes|hours?|days?|weeks?|months?|years?)$/
/** Whatever also may be a day or time, but is more often a word of the title or, as in "9am 45m", an estimate. */
const VAGUE = new RegExp(
  String.raw`^(now|yesterday|(the )?day before yesterday|to[dm]|[a-z]{2}|(an?|\d+) ?(${UNIT})( ago)?|-.*|in [23] ?d|in \d+ ?m|((at|in the) )?(morning|afternoon|evening|night)|(?!.*(in |\+))(.* )?\d+ ?(${UNIT})( .*)?)$`,
)
/** The same, unless "on", "by" or "until" is before it. */
const VAGUE_ALONE =
  /^([a-z]{2}|noon|midnight|sat|sun|(the )?weekend|(the )?\d{1,2}(st|nd|rd|th|\.)|\d{1,2}:\d\d|at \d{1,2}|\d{1,2}\/\d{1,2}|week \d{1,2})$/
const GERMAN_WEEKDAY = /^(Mo|Di|Mi|Fr|Sa)$/
const BEFORE_DAY =
  /^((?:bis )?spätestens(?: am| bis)?|on|by|until|till|before|am|bis(?: zum)?|zum|vor|for|für) (?:the (?=end))?(.+)$/i
/** "24.12", which is a day only after a German word. */
const VERSION = /^\d{1,2}\.\d{1,2}$/
const BEFORE_ESTIMATE = /^(for|für|est\.?|estimate|ca\.?|~) ?(?=[\dah½¼¾])/i
const CLEAR_ESTIMATE =
  /^(?!24 ?h$)(\d+([.,]\d+)? ?(h|hrs?|hours?|mins?|minutes?)( ?\d+ ?(m|mins?|minutes?))?|\d+h\d\d|\d{1,2}m|(\d+ ?)?([½¼¾]|(?<!\d)[13]\/[24]) ?(h|hrs?|hours?))$/
const HALF_AN_HOUR = /^(half an|an? half|half) hour$/
type ReadValue = Omit<ValueMatch, 'length'>

/** The value of words that mean nothing else. */
function readUnmarked(typed: string, context: SentenceContext): ReadValue | undefined {
  const unpunctuated = /^\((.+)\)$/.exec(typed)?.[1] ?? typed.replace(/[.,;:!?]+$/, '')
  return (
    parseClear(typed, typed, context) ??
    (unpunctuated === typed ? undefined : parseClear(unpunctuated, typed, context))
  )
}

function parseClear(text: string, typed: string, context: SentenceContext): ReadValue | undefined {
  const { language } = context
  const [, before, when = text] = BEFORE_DAY.exec(text) ?? []
  const due = isClearDay(when, before, context) ? toDue(typed, when, context) : undefined
  if (due) return due
  const repeat = parseTypedRepeat(text, context)
  if (repeat) return { value: { kind: 'repeat', typed, ...repeat } }
  const priority = /^p([1-4])$/i.exec(text)?.[1]
  const level = TYPED_PRIORITIES[5 - Number(priority)]
  if (level) return { value: { kind: 'priority', typed, priority: level } }
  const estimate = translateTypedWords(text.replace(BEFORE_ESTIMATE, ''), language)
  if (HALF_AN_HOUR.test(estimate)) return { value: { kind: 'estimate', typed, seconds: 1_800 } }
  const seconds = CLEAR_ESTIMATE.test(estimate) ? parseDuration(estimate) : undefined
  return seconds ? { value: { kind: 'estimate', typed, seconds } } : undefined
}

function isClearDay(
  typed: string,
  before: string | undefined,
  { language, today }: SentenceContext,
): boolean {
  const when = normalizeTyped(typed, language)
  if (VAGUE.test(when)) return false
  if (VERSION.test(translateTypedWords(typed, language))) return /^(am|bis|zum)/i.test(before ?? '')
  const [, year] = /^\d{1,2}\.\d{1,2}\.(\d\d)$/.exec(typed) ?? []
  if (year !== undefined && Number(`20${year}`) < Number(today.slice(0, 4))) return false
  if (before !== undefined && !/^f/i.test(before)) return true
  return (
    GERMAN_WEEKDAY.test(typed) || !(VAGUE_ALONE.test(when) || VAGUE_ALONE.test(typed.toLowerCase()))
  )
}

function toDue(typed: string, when: string, context: SentenceContext): ReadValue | undefined {
  const { date, isTimeAlone, ...time } = parseTypedDate(when, context) ?? {}
  if (!date) return undefined
  return { value: { kind: 'due', typed, date, ...time }, ...(isTimeAlone && { isTimeAlone }) }
}

const WEEKDAY = '(mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun'
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const MAY_BE_CAPITALIZED = new RegExp(
  `^((${WEEKDAY})s?|${MONTH}|next|this|uhr|am|pm|eo[dwmy]|kw|cw|p[1-4]|h|min)\\b`,
)

/** "The Day After Tomorrow": what is capitalized is a title, unless the language always writes it so. */
const isTitleCase = (words: readonly string[], language: DateContext['language']): boolean =>
  words.some((word, at) => {
    const english = translateTypedWords(word, language)
    const isAdverb = /^(today|tomorrow)/.test(english) && words[at - 1] !== 'jeden'
    const isNoun = english !== word.toLowerCase() && !isAdverb
    // "TODAY" is no title, but stressed.
    return /^\p{Lu}(?!\p{Lu})/u.test(word) && !isNoun && !MAY_BE_CAPITALIZED.test(english)
  })
