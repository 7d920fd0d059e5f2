import type { Member } from '#resources/members/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { parseWhen } from '../../../lib/dates/parse-when.ts'
import type { PlainDate } from '../../../lib/dates/plain-date.ts'
import { translateTypedWords } from '../../../lib/dates/translate-typed-words.ts'
import { findNamed, normalizeWord } from '../filter/filter-query.ts'

/** A value extracted from the typed text, shown as a chip that can be removed again. */
export type QuickAddChip =
  | { kind: 'tag'; typed: string; id: string; name: string }
  | { kind: 'new tag'; typed: string; name: string }
  | { kind: 'who'; typed: string; id: string; name: string }
  | { kind: 'priority'; typed: string; priority: Task['priority'] }
  | { kind: 'due'; typed: string; date: PlainDate }

export interface QuickAddVocabulary {
  tags: readonly Pick<Tag, 'id' | 'name'>[]
  members: readonly Pick<Member, 'id' | 'name'>[]
  me: string
  today: PlainDate
  /** Whether the user may create tags that do not exist yet. */
  canCreateTags: boolean
}

export interface ParsedQuickAdd {
  text: string
  chips: readonly QuickAddChip[]
}

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
/** Days that are recognized without "due". Other day names are too common in titles. */
const DAY_WITHOUT_DUE = /^(?:today|tomorrow)$/
const MAX_DAY_WORDS = 3

/**
 * Extracts `#tag`, `@name`, `!high`, `tomorrow` and `due fri` from the typed text. The last word is
 * left until a space ends it, unless `finished` is set. Words in `textWords` stay text.
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
  let text = ''
  for (let at = 0; at < words.length; ) {
    const match =
      at < readyCount ? findChipAt(words, at, readyCount, vocabulary, textWords) : undefined
    if (match) {
      chips.push(match.chip)
      at += match.length
    } else {
      text += (words[at] ?? '') + (spaces[at] ?? '')
      at += 1
    }
  }
  return { text: chips.length > 0 ? text.trimStart() : text, chips }
}

/** Adds chips; of due dates and priorities only the latest is kept. */
export function mergeChips(
  chips: readonly QuickAddChip[],
  more: readonly QuickAddChip[],
): readonly QuickAddChip[] {
  let merged = [...chips]
  for (const chip of more) {
    const isSingle = chip.kind === 'due' || chip.kind === 'priority'
    merged = merged.filter((one) =>
      isSingle ? one.kind !== chip.kind : getChipKey(one) !== getChipKey(chip),
    )
    merged.push(chip)
  }
  return merged
}

export const getChipKey = (chip: QuickAddChip): string =>
  `${chip.kind} ${'id' in chip ? chip.id : 'name' in chip ? normalizeWord(chip.name) : ''}`

function findChipAt(
  words: readonly string[],
  at: number,
  readyCount: number,
  vocabulary: QuickAddVocabulary,
  textWords: ReadonlySet<string>,
): { chip: QuickAddChip; length: number } | undefined {
  const word = words[at] ?? ''
  if (translateTypedWords(word) === 'due') {
    for (let length = Math.min(MAX_DAY_WORDS, readyCount - at - 1); length > 0; length -= 1) {
      const rest = words.slice(at + 1, at + 1 + length).join(' ')
      const date = parseWhen(rest, vocabulary.today)?.date
      const typed = `${word} ${rest}`
      if (date && !textWords.has(typed))
        return { chip: { kind: 'due', typed, date }, length: length + 1 }
    }
    return undefined
  }
  if (textWords.has(word)) return undefined
  const chip = parseChip(word, vocabulary)
  return chip && { chip, length: 1 }
}

function parseChip(
  typed: string,
  { tags, members, me, today, canCreateTags }: QuickAddVocabulary,
): QuickAddChip | undefined {
  const name = typed.slice(1)
  if (DAY_WITHOUT_DUE.test(translateTypedWords(typed))) {
    const date = parseWhen(typed, today)?.date
    return date ? { kind: 'due', typed, date } : undefined
  }
  if (name === '') return undefined
  if (typed.startsWith('!')) {
    const priority = PRIORITIES.find((one) => one === translateTypedWords(name))
    return priority && { kind: 'priority', typed, priority }
  }
  if (typed.startsWith('@')) {
    const member =
      translateTypedWords(name) === 'me'
        ? members.find(({ id }) => id === me)
        : findNamed(name, members)
    return member && { kind: 'who', typed, id: member.id, name: member.name }
  }
  if (!typed.startsWith('#') || /^\d+$/.test(name)) return undefined
  const tag = findNamed(name, tags)
  if (tag) return { kind: 'tag', typed, id: tag.id, name: tag.name }
  return canCreateTags ? { kind: 'new tag', typed, name: name.replace(/[_-]+/g, ' ') } : undefined
}
