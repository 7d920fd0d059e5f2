import type { MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import { insertBlock, toggleLinePrefix } from '../../lib/markdown/markdown-edit.ts'
import { type Mentionable, uniqueIdsByName } from '../../lib/markdown/mentions.ts'
import { findMentionAt } from '../../lib/markdown/typed-mentions.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import type { IconName } from '../marks/icon.tsx'
import { filterOptions } from '../overlays/picker-options.ts'
import type { Suggestion, SuggestionSource } from './suggestion-list.tsx'

/** A task that a text can refer to. */
export interface LinkableTask {
  short_id: string
  title: string
}

/** Finds tasks by number or title: those that are loaded, and those that the server finds. */
export interface TaskSearch {
  findLoaded: (typed: string) => LinkableTask[]
  find: (typed: string) => Promise<LinkableTask[]>
}

const insertWord = (word: string) => (_: string, from: number, to: number) => {
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
        : matches.map((one) => ({ ...one, icon: 'avatar', edit: insertWord(`<@${one.id}>`) })),
    }
  }
}

const TASK_WORDS = /(?:^|[\s([{])#([\p{L}\p{N}][\p{L}\p{N}-]*(?: [\p{L}\p{N}-]*){0,2})?$/u

/** Tasks, after a `#` and at most three words; a space after it begins a heading. */
export const suggestTasks =
  ({ findLoaded, find }: TaskSearch): SuggestionSource =>
  (text, caret) => {
    const typed = TASK_WORDS.exec(text.slice(0, caret))
    if (!typed) return undefined
    const [, words = ''] = typed
    return {
      name: markdownMessages.tasks,
      from: caret - words.length - 1,
      options: findLoaded(words).map(toTaskSuggestion),
      loadMore: async () => (words === '' ? [] : (await find(words)).map(toTaskSuggestion)),
    }
  }

const toTaskSuggestion = ({ short_id, title }: LinkableTask): Suggestion => ({
  id: short_id,
  label: title,
  hint: short_id,
  icon: 'check',
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
  const removeWord: Suggestion['edit'] = (_, from, to) => ({
    from,
    to,
    insert: '',
    select: [from, from],
  })
  const options: (Suggestion & { words: string })[] = [
    ...BLOCK_COMMANDS.map(({ edit, ...command }) => ({
      ...command,
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
            icon: 'attach' as const,
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
    const ids = new Set(filterOptions(options, words).map(({ id }) => id))
    return {
      name: markdownMessages.insert,
      from: caret - words.length - 1,
      options: options.filter(({ id }) => ids.has(id)),
    }
  }
}
