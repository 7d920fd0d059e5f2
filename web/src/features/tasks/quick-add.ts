import type { Member } from '#resources/members/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '../../data/task-view.ts'
import type { PlainDate } from '../../lib/day.ts'
import { parseWhen } from '../../lib/day-words.ts'
import { inEnglish } from '../../lib/typed-words.ts'
import { plain } from './filter-query.ts'

/** What was lifted out of what is typed, as a chip that can be taken off again. */
export type Chip =
  | { kind: 'tag'; typed: string; id: string; name: string }
  | { kind: 'new tag'; typed: string; name: string }
  | { kind: 'who'; typed: string; id: string; name: string }
  | { kind: 'priority'; typed: string; priority: Task['priority'] }
  | { kind: 'due'; typed: string; date: PlainDate }

export interface Known {
  tags: readonly Pick<Tag, 'id' | 'name'>[]
  members: readonly Pick<Member, 'id' | 'name'>[]
  me: string
  today: PlainDate
  /** Whether tags that do not exist yet may be made. */
  mayTag: boolean
}

export interface Lifted {
  text: string
  chips: readonly Chip[]
}

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
/** Days that are meant without "due": other words of days are part of many titles. */
const BARE = /^(?:today|tomorrow)$/
const WORDS_OF_DAY = 3

/**
 * Lifts `#tag`, `@name`, `!high`, `tomorrow` and `due fri` out of what is typed. The last word is left until it
 * is finished by a space, or `finished` says that all of it is. What stands in `kept` stays text.
 */
export function lift(
  typed: string,
  known: Known,
  { finished = false, kept = new Set<string>() as ReadonlySet<string> } = {},
): Lifted {
  const parts = typed.split(/(\s+)/)
  const words = parts.filter((_, at) => at % 2 === 0)
  const spaces = parts.filter((_, at) => at % 2 === 1)
  const ready = finished ? words.length : words.length - 1
  const chips: Chip[] = []
  let text = ''
  for (let at = 0; at < words.length; ) {
    const found = at < ready ? chipAt(words, at, ready, known, kept) : undefined
    if (found) {
      chips.push(found.chip)
      at += found.length
    } else {
      text += (words[at] ?? '') + (spaces[at] ?? '')
      at += 1
    }
  }
  return { text: chips.length > 0 ? text.trimStart() : text, chips }
}

/** The chips with another; one due date and one priority, the newest. */
export function withChips(chips: readonly Chip[], more: readonly Chip[]): readonly Chip[] {
  let all = [...chips]
  for (const chip of more) {
    const single = chip.kind === 'due' || chip.kind === 'priority'
    all = all.filter((one) => (single ? one.kind !== chip.kind : keyOf(one) !== keyOf(chip)))
    all.push(chip)
  }
  return all
}

export const keyOf = (chip: Chip): string =>
  `${chip.kind} ${'id' in chip ? chip.id : 'name' in chip ? plain(chip.name) : ''}`

/** The titles that pasted lines are: marks of lists before them are taken off. */
export const linesOf = (pasted: string): string[] =>
  pasted
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ x]\]\s*)?/i, '').trim())
    .filter((line) => line !== '')

function chipAt(
  words: readonly string[],
  at: number,
  ready: number,
  known: Known,
  kept: ReadonlySet<string>,
): { chip: Chip; length: number } | undefined {
  const word = words[at] ?? ''
  if (inEnglish(word) === 'due') {
    for (let length = Math.min(WORDS_OF_DAY, ready - at - 1); length > 0; length -= 1) {
      const rest = words.slice(at + 1, at + 1 + length).join(' ')
      const date = parseWhen(rest, known.today)?.date
      const typed = `${word} ${rest}`
      if (date && !kept.has(typed))
        return { chip: { kind: 'due', typed, date }, length: length + 1 }
    }
    return undefined
  }
  if (kept.has(word)) return undefined
  const chip = chipOf(word, known)
  return chip && { chip, length: 1 }
}

function chipOf(typed: string, { tags, members, me, today, mayTag }: Known): Chip | undefined {
  const name = typed.slice(1)
  if (BARE.test(inEnglish(typed))) {
    const date = parseWhen(typed, today)?.date
    return date ? { kind: 'due', typed, date } : undefined
  }
  if (name === '') return undefined
  if (typed.startsWith('!')) {
    const priority = PRIORITIES.find((one) => one === inEnglish(name))
    return priority && { kind: 'priority', typed, priority }
  }
  if (typed.startsWith('@')) {
    const asked =
      inEnglish(name) === 'me' ? members.find(({ id }) => id === me) : only(members, name)
    return asked && { kind: 'who', typed, id: asked.id, name: asked.name }
  }
  if (!typed.startsWith('#') || /^\d+$/.test(name)) return undefined
  const tag = only(tags, name)
  if (tag) return { kind: 'tag', typed, id: tag.id, name: tag.name }
  return mayTag ? { kind: 'new tag', typed, name: name.replace(/[_-]+/g, ' ') } : undefined
}

/** The one that is called so, or the only one whose name begins so. */
function only<T extends { name: string }>(all: readonly T[], word: string): T | undefined {
  const asked = plain(word)
  const exact = all.find(({ name }) => plain(name) === asked)
  if (exact) return exact
  const begin = all.filter(({ name }) => plain(name).startsWith(asked))
  return begin.length === 1 ? begin[0] : undefined
}
