import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { insertBlock, toggleLinePrefix } from '../../lib/markdown/markdown-edit.ts'
import { type Mentionable, uniqueIdsByName } from '../../lib/markdown/mentions.ts'
import { findMentionAt, findTaskWordsAt } from '../../lib/markdown/typed-mentions.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { Avatar } from '../marks/avatar.tsx'
import { Icon, type IconName } from '../marks/icon.tsx'
import { filterOptions } from '../overlays/picker-options.ts'
import type { Suggestion, SuggestionSource } from './suggestion-list.tsx'

/** A task that a text can refer to. */
interface LinkableTask {
  short_id: string
  title: string
}

/** Finds tasks by number or title: those that are loaded, and those that the server finds. */
export interface TaskSearch {
  findLoaded: (typed: string) => LinkableTask[]
  find: (typed: string) => Promise<LinkableTask[]>
}

/** Removes what was typed, for a choice that leaves no text, with one of the spaces around it. */
export const removeWord: Suggestion['edit'] = (text, from, to) => {
  const end = text[from - 1] === ' ' && text[to] === ' ' ? to + 1 : to
  return { from, to: end, insert: '', select: [from, from] }
}

/** Writes a word and a space in place of what was typed. */
export const insertWord = (word: string) => (_: string, from: number, to: number) => {
  const end = from + word.length + 1
  return { from, to, insert: `${word} `, select: [end, end] satisfies [number, number] }
}

/** People, after an `@`. */
export function suggestPeople(people: readonly Mentionable[]): SuggestionSource {
  const names = uniqueIdsByName(people)
  // The email address tells people of the same name apart.
  const options = people.map(({ id, name, email }) => ({
    id,
    label: name,
    ...(!names.has(name) && email && { hint: email }),
  }))
  return (text, caret) => {
    const at = findMentionAt(text, caret)
    if (!at) return undefined
    const matches = filterOptions(options, at.typed)
    // A fully typed name needs no suggestions, unless others have it too.
    const isComplete = matches.some(({ label }) => names.has(label) && `${label} ` === at.typed)
    return {
      name: markdownMessages.people,
      from: at.from,
      options: isComplete
        ? []
        : matches.map((one) => ({
            ...one,
            mark: <Avatar name={one.label} />,
            edit: insertWord(`<@${one.id}>`),
          })),
    }
  }
}

/** Tasks, after a `#`. */
export const suggestTasks =
  ({ findLoaded, find }: TaskSearch): SuggestionSource =>
  (text, caret) => {
    const { from, typed: words } = findTaskWordsAt(text, caret) ?? {}
    if (from === undefined || words === undefined) return undefined
    return {
      name: markdownMessages.tasks,
      from,
      options: findLoaded(words).map(toTaskSuggestion),
      loadMore: async () => (words === '' ? [] : (await find(words)).map(toTaskSuggestion)),
    }
  }

const toTaskSuggestion = ({ short_id, title }: LinkableTask): Suggestion => ({
  id: short_id,
  label: title,
  hint: short_id,
  mark: <Icon name="check" />,
  edit: insertWord(short_id),
})

interface BlockCommand {
  icon: IconName
  label: string
  /** Other words that it is found by. */
  words: string
  edit: (text: string, caret: number) => MarkdownEdit
}

const blockOf = (before: string, after: string) => (text: string, caret: number) =>
  insertBlock(text, caret, before, after)
const prefixWith = (prefix: string) => (text: string, caret: number) =>
  toggleLinePrefix(text, caret, caret, prefix)

/** The beginning of a table whose first heading is named by the person. */
const TABLE = ['| ', ' |  |\n| --- | --- |\n|  |  |'] as const

const BLOCK_COMMANDS: readonly BlockCommand[] = [
  { icon: 'heading', label: markdownMessages.heading, words: 'title h2', edit: prefixWith('## ') },
  { icon: 'list', label: markdownMessages.bullets, words: 'ul', edit: prefixWith('- ') },
  { icon: 'list', label: markdownMessages.numbers, words: 'ol', edit: prefixWith('1. ') },
  { icon: 'check', label: markdownMessages.boxes, words: 'todo task', edit: prefixWith('- [ ] ') },
  { icon: 'quote', label: markdownMessages.quote, words: 'blockquote', edit: prefixWith('> ') },
  {
    icon: 'code',
    label: markdownMessages.codeBlock,
    words: 'pre',
    edit: blockOf('```\n', '\n```'),
  },
  { icon: 'columns', label: markdownMessages.table, words: 'grid', edit: blockOf(...TABLE) },
  { icon: 'minus', label: markdownMessages.divider, words: 'hr rule', edit: blockOf('---\n', '') },
]

/** What a line can become or get, after a `/` that begins a word. */
export function suggestBlocks(attach: (() => void) | undefined): SuggestionSource {
  const options: Suggestion[] = [
    ...BLOCK_COMMANDS.map(({ edit, icon, ...command }) => ({
      ...command,
      mark: <Icon name={icon} />,
      id: command.label,
      edit: (text: string, from: number, to: number) => {
        const change = edit(text.slice(0, from) + text.slice(to), from)
        return { ...change, to: change.to + to - from }
      },
    })),
    ...(attach
      ? [
          {
            id: markdownMessages.attach,
            label: markdownMessages.attach,
            mark: <Icon name="attach" />,
            words: 'image file upload',
            edit: removeWord,
            run: attach,
          },
        ]
      : []),
  ]
  return (text, caret) => {
    const typed = /(?:^|\s)\/(\p{L}*)$/u.exec(text.slice(0, caret))
    if (!typed) return undefined
    const [, words = ''] = typed
    return {
      name: markdownMessages.insert,
      from: caret - words.length - 1,
      options: filterOptions(options, words),
    }
  }
}
