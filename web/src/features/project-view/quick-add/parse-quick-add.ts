import type { Member } from '#resources/members/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { parseDuration } from '../../../lib/dates/duration.ts'
import { parseRepeat } from '../../../lib/dates/parse-repeat.ts'
import { normalizeTyped, parseWhen } from '../../../lib/dates/parse-when.ts'
import type { PlainDate } from '../../../lib/dates/plain-date.ts'
import { translateTypedWords } from '../../../lib/dates/translate-typed-words.ts'
import { normalizeForSearch } from '../../../ui/overlays/picker-options.ts'

/** A value taken from the typed text, shown as a chip that can be given back. */
export type QuickAddChip =
  | { kind: 'tag'; typed: string; id: string; name: string }
  | { kind: 'new tag'; typed: string; name: string }
  | { kind: 'who'; typed: string; id: string; name: string }
  | { kind: 'priority'; typed: string; priority: Task['priority'] }
  | { kind: 'status'; typed: string; key: string; label: string }
  | { kind: 'due'; typed: string; date: PlainDate; time?: string }
  | { kind: 'repeat'; typed: string; rrule: string; date: PlainDate; time?: string }
  | { kind: 'estimate'; typed: string; seconds: number }

export interface QuickAddVocabulary {
  tags: readonly Pick<Tag, 'id' | 'name'>[]
  members: readonly Pick<Member, 'id' | 'name'>[]
  me: string
  today: PlainDate
  /** The time of day, `HH:MM`; by default that of the viewer. */
  clock?: () => string
  /** Whether the user may create tags that do not exist yet. */
  canCreateTags: boolean
}

export interface ParsedQuickAdd {
  text: string
  chips: readonly QuickAddChip[]
}

/** The priorities, the lowest first. */
export const TYPED_PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
const MAX_DAY_WORDS = 5
/** "until the day after tomorrow at 14:00" */
const MAX_ENDING_WORDS = 7

/**
 * Takes values from the typed text: `#tag`, `@name`, `!high` and `due fri` wherever they stand, once a
 * space ends them, and with `finished` also the words at the end that clearly are a day, a time, a
 * repetition or an estimate (`friday 9am`, `every 2 weeks`, `3h`). Words in `textWords` stay text, and so does
 * at least one word.
 */
export function parseQuickAdd(
  typed: string,
  vocabulary: QuickAddVocabulary,
  { finished = false, textWords = new Set<string>() as ReadonlySet<string> } = {},
): ParsedQuickAdd {
  const parts = typed.split(/(\s+)/)
  const words = parts.filter((_, at) => at % 2 === 0)
  const spaces = parts.filter((_, at) => at % 2 === 1)
  const readyCount = finished ? words.length : words.length - 1
  const chips: QuickAddChip[] = []
  /** The words that stay, each with the space behind it. */
  const rest: { word: string; space: string }[] = []
  for (let at = 0; at < words.length; ) {
    const match =
      at < readyCount ? findMarked(words, at, readyCount, vocabulary, finished) : undefined
    if (match && !textWords.has(match.chip.typed)) {
      chips.push(match.chip)
      at += match.length
    } else {
      rest.push({ word: words[at] ?? '', space: spaces[at] ?? '' })
      at += 1
    }
  }
  // What a mark begins and nothing has is no part of the end, such as a name that is being typed.
  const tail = rest.splice(rest.findLastIndex(({ word }) => !/^([#@!].*)?$/.test(word)) + 1)
  while (finished) {
    const all = rest.map(({ word }) => word).filter(Boolean)
    const match = findEnding(all, vocabulary, textWords)
    if (!match || chips.some(({ kind }) => kind === match.chip.kind)) break
    while (rest.at(-1)?.word === '') rest.pop()
    rest.splice(-match.length)
    chips.push(match.chip)
  }
  const text = [...rest, ...tail].map(({ word, space }) => word + space).join('')
  return { text: chips.length > 0 ? text.trimStart() : text, chips }
}

/** The title of a text from which values were taken, without what only led to them. */
export const toTitle = (text: string): string =>
  text.trim().replace(/(?:[,;]|\s(?:and|und|&))+$/i, '')

/** Adds chips; of tags and assignees all are kept, of all else the latest. */
export function mergeChips(
  chips: readonly QuickAddChip[],
  more: readonly QuickAddChip[],
): readonly QuickAddChip[] {
  let merged = [...chips]
  for (const chip of more) {
    const isSingle = !('name' in chip)
    merged = merged.filter((one) =>
      isSingle ? one.kind !== chip.kind : getChipKey(one) !== getChipKey(chip),
    )
    merged.push(chip)
  }
  return merged
}

export const getChipKey = (chip: QuickAddChip): string =>
  `${chip.kind} ${'id' in chip ? chip.id : 'name' in chip ? foldName(chip.name) : ''}`

/** Whether two chips were taken from the same words, also if one is of a tag that exists by now. */
export const isSameChip = (a: QuickAddChip, b: QuickAddChip): boolean =>
  a === b ||
  ('name' in a &&
    'name' in b &&
    a.typed === b.typed &&
    (a.kind === 'who') === (b.kind === 'who') &&
    foldName(a.name) === foldName(b.name))

/** A name without case and accents; its words may be joined, as in `#needs-design`. */
export const foldName = (name: string): string =>
  normalizeForSearch(name)
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

interface Match {
  chip: QuickAddChip
  /** How many words it takes. */
  length: number
}

/** A value that its mark makes certain. */
function findMarked(
  words: readonly string[],
  at: number,
  readyCount: number,
  vocabulary: QuickAddVocabulary,
  finished: boolean,
): Match | undefined {
  const word = words[at] ?? ''
  if (/^due:?$/.test(translateTypedWords(word))) {
    for (let length = Math.min(MAX_DAY_WORDS, readyCount - at - 1); length > 0; length -= 1) {
      const rest = words.slice(at + 1, at + 1 + length).join(' ')
      const bare = rest.replace(BEFORE_DAY, '$2').replace(/[.,;!?]+$/, '')
      const typed = `${word} ${rest}`
      const chip = toDueChip(typed, rest, vocabulary) ?? toDueChip(typed, bare, vocabulary)
      if (chip) return { chip, length: length + 1 }
    }
    return undefined
  }
  if (/^[@#]./.test(word))
    return findMarkedName(words.slice(at), readyCount - at, vocabulary, finished)
  const chip = parsePriority(word)
  return chip && { chip, length: 1 }
}

/** "@me", "@robin", "@Robin Keller" or "#needs design": the longest whole name that is typed. */
function findMarkedName(
  words: readonly string[],
  readyCount: number,
  { tags, members, me, canCreateTags }: QuickAddVocabulary,
  finished: boolean,
): Match | undefined {
  const isTag = words[0]?.startsWith('#')
  const records: readonly { id: string; name: string }[] = isTag ? tags : members
  const nameOf = (length: number) => words.slice(0, length).join(' ').slice(1)
  const withoutEnd = (name: string) => name.replace(/[.,;:!?]+$/, '')
  const toMatch = ({ id, name }: { id: string; name: string }, length: number): Match => {
    const typed = words.slice(0, length).join(' ')
    return { chip: { kind: isTag ? 'tag' : 'who', typed, id, name }, length }
  }
  const findWhole = (name: string) =>
    findWholeName(name, records) ?? findWholeName(withoutEnd(name), records)
  const wordCounts = records.map((one) => one.name.split(/\s+/).length)
  for (let length = Math.min(Math.max(...wordCounts), readyCount); length > 1; length -= 1) {
    const record = words[length - 1] === '' ? undefined : findWhole(nameOf(length))
    if (record) return toMatch(record, length)
  }
  const typed = nameOf(1)
  const name = withoutEnd(typed)
  const begun = foldName(withoutEnd(nameOf(words.length)))
  // The last word of a name is part of it while it is being typed.
  const mayGoOn = records.some((one) => {
    const whole = foldName(one.name)
    return whole !== foldName(name) && /\s/.test(one.name) && whole.startsWith(begun)
  })
  if ((!finished && mayGoOn) || name === '') return undefined
  const isMe = !isTag && translateTypedWords(name) === 'me'
  const record = isMe
    ? members.find(({ id }) => id === me)
    : (findWhole(typed) ?? (isTag ? undefined : findByPartOfName(name, words[1], members)))
  if (record) return toMatch(record, 1)
  if (!isTag || !canCreateTags || /^\d+$/.test(name)) return undefined
  return { chip: { kind: 'new tag', typed: words[0] ?? '', name }, length: 1 }
}

/**
 * "@keller", if only one person has that name. Before another capitalized name ("@Robin Schmidt")
 * it is more likely that of somebody else.
 */
function findByPartOfName(
  name: string,
  next: string | undefined,
  members: QuickAddVocabulary['members'],
) {
  const isLongerName =
    /^\p{Lu}/u.test(name) &&
    /^\p{Lu}/u.test(next ?? '') &&
    !MAY_BE_CAPITALIZED.test(translateTypedWords(next ?? ''))
  if (isLongerName) return undefined
  const wanted = foldName(name)
  const matches = members.filter((one) =>
    one.name.split(/\s+/).some((part) => foldName(part) === wanted),
  )
  return matches.length === 1 ? matches[0] : undefined
}

/** "!high", "!med" */
function parsePriority(typed: string): QuickAddChip | undefined {
  const [, word = ''] = /^!(\p{L}{3,})[,;.]?$/u.exec(typed) ?? []
  const priority = word && TYPED_PRIORITIES.find((one) => one.startsWith(translateTypedWords(word)))
  return priority ? { kind: 'priority', typed, priority } : undefined
}

/**
 * The longest value at the end of the words, if others are left. What is not taken as a whole is left
 * as a whole: of "Next friday" nothing remains but a day.
 */
function findEnding(
  words: readonly string[],
  vocabulary: QuickAddVocabulary,
  textWords: ReadonlySet<string>,
): Match | undefined {
  for (let length = Math.min(MAX_ENDING_WORDS, words.length); length > 0; length -= 1) {
    const ending = words.slice(-length)
    const typed = ending.join(' ')
    const chip = parseEnding(typed, vocabulary)
    if (!chip) continue
    const [before, earlier = ''] = words.slice(0, -length).toReversed()
    const stays =
      before === undefined ||
      NEEDS_WHAT_FOLLOWS.test(translateTypedWords(before)) ||
      // "from 1 Dec until 5 Dec", "2 days before friday": what is due stands in more than is taken.
      (chip.kind === 'due' &&
        ((/^(before|vor) /i.test(typed) && UNIT_ALONE.test(translateTypedWords(before))) ||
          [before, `${earlier} ${before}`].some(
            (one) => parseEnding(one, vocabulary)?.kind === 'due',
          ))) ||
      isTitleCase(ending) ||
      textWords.has(typed)
    return stays ? undefined : { chip, length }
  }
  return undefined
}

/** Words that say something of the day or time after them, which is part of the title then. */
const NEEDS_WHAT_FOLLOWS = new RegExp(
  `^(${[
    'the|of|an?|and|or|to|from|since|after|than|per|about|last|past|each|every|next|this|within|under|over',
    'in|at|on|by|with|for|between|during|as|not|vs\\.?|[-–—&+/]',
    'dem|die|das|von|vom|zu|zur|auf|seit|nach|ab|oder|über|letzte[nrs]?|pro|mit|binnen|innerhalb|als',
    'black|cyber|good|easter|blue|ruby|casual|happy|ash|palm|super',
  ].join('|')})$`,
)

const UNIT = 'd|days?|w|weeks?|m|months?|y|years?'
const UNIT_ALONE = /^(minutes|hours?|days?|weeks?|months?|years?)$/
/** Whatever also may be a day or time, but is more often a word of the title. */
const VAGUE = new RegExp(
  String.raw`^(now|yesterday|to[dm]|[a-z]{2}|(an?|\d+) ?(${UNIT})|-.*|in [23] ?d|in \d+ ?m|((at|in the) )?(morning|afternoon|evening|night)|noon|midnight)$`,
)
/** The same, unless "on", "by" or "until" is before it. */
const VAGUE_ALONE =
  /^([a-z]{2}|sat|sun|(the )?weekend|\d{1,2}(st|nd|rd|th|\.)|\d{1,2}:\d\d|at \d{1,2}|\d{1,2}\/\d{1,2})$/
const GERMAN_WEEKDAY = /^(Mo|Di|Mi|Fr|Sa)$/
const BEFORE_DAY =
  /^((?:bis )?spätestens(?: am| bis)?|on|by|until|till|before|am|bis(?: zum)?|zum|vor|for|für) (?:the (?=end))?(.+)$/i
/** "24.12", which is a day only after a German word. */
const VERSION = /^\d{1,2}\.\d{1,2}$/
const BEFORE_ESTIMATE = /^(for|für|est\.?|estimate|ca\.?|~) ?(?=[\dah])/i
const CLEAR_ESTIMATE =
  /^(\d+([.,]\d+)? ?(h|hrs?|hours?|mins?|minutes?)( ?\d+ ?(m|mins?|minutes?))?|\d+h\d\d)$/
const HALF_AN_HOUR = /^(half an|an? half|half) hour$/

/** The value of words that mean nothing else. */
function parseEnding(typed: string, vocabulary: QuickAddVocabulary): QuickAddChip | undefined {
  const unpunctuated = /^\((.+)\)$/.exec(typed)?.[1] ?? typed.replace(/[.,;!?]+$/, '')
  return (
    parseUnpunctuated(typed, typed, vocabulary) ??
    (unpunctuated === typed ? undefined : parseUnpunctuated(unpunctuated, typed, vocabulary))
  )
}

function parseUnpunctuated(
  text: string,
  typed: string,
  vocabulary: QuickAddVocabulary,
): QuickAddChip | undefined {
  const [, before, when = text] = BEFORE_DAY.exec(text) ?? []
  if (isClearDay(when, before)) {
    const due = toDueChip(typed, when, vocabulary)
    if (due) return due
  }
  const repeat = parseRepeat(text, vocabulary.today)
  if (repeat) return { kind: 'repeat', typed, ...repeat }
  const estimate = translateTypedWords(text.replace(BEFORE_ESTIMATE, ''))
  if (HALF_AN_HOUR.test(estimate)) return { kind: 'estimate', typed, seconds: 1_800 }
  const seconds = CLEAR_ESTIMATE.test(estimate) ? parseDuration(estimate) : undefined
  return seconds === undefined ? undefined : { kind: 'estimate', typed, seconds }
}

function isClearDay(typed: string, before: string | undefined): boolean {
  const when = normalizeTyped(typed)
  if (VAGUE.test(when)) return false
  if (VERSION.test(typed)) return /^(am|bis|zum)/i.test(before ?? '')
  if (before !== undefined && !/^f/i.test(before)) return true
  return (
    GERMAN_WEEKDAY.test(typed) || !(VAGUE_ALONE.test(when) || VAGUE_ALONE.test(typed.toLowerCase()))
  )
}

function toDueChip(
  typed: string,
  when: string,
  { today, clock }: QuickAddVocabulary,
): QuickAddChip | undefined {
  const { date, time } = parseWhen(when, today, clock) ?? {}
  return date ? { kind: 'due', typed, date, ...(time !== undefined && { time }) } : undefined
}

const WEEKDAY = '(mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun'
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const MAY_BE_CAPITALIZED = new RegExp(`^((${WEEKDAY})s?|${MONTH}|next|this|uhr|am|pm|eo[dwmy])\\b`)

/** "The Day After Tomorrow": what is capitalized is a title, unless the language always writes it so. */
const isTitleCase = (words: readonly string[]): boolean =>
  words.some((word, at) => {
    const english = translateTypedWords(word)
    const isAdverb = /^(today|tomorrow)/.test(english) && words[at - 1] !== 'jeden'
    const isNoun = english !== word.toLowerCase() && !isAdverb
    // "TODAY" is no title, but stressed.
    return /^\p{Lu}(?!\p{Lu})/u.test(word) && !isNoun && !MAY_BE_CAPITALIZED.test(english)
  })
