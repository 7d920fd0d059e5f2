import { m } from '../../messages/tasks.ts'
import { type Property, SETS, WINDOWS } from './filter.ts'
import { type Meaning, plain } from './filter-query.ts'
import { valueWords } from './filter-words.ts'

/** What may come next where somebody types a filter. */
export interface Completion {
  /** What takes the place of the last word. */
  typed: string
  label: string
  hint?: string
  /** The condition is complete; else its value follows. */
  whole: boolean
}

const DUE = ['overdue', 'today', 'tomorrow', 'week', '<7d', '<14d', 'none', 'any']
const AGES = ['<1d', '<7d', '<30d', '>30d']
const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none']
const MOST = 12

/** Completions of the last word: names of properties, then values of the one that is named. */
export function completionsOf(text: string, meaning: Meaning): Completion[] {
  const last = lastWord(text)
  const [, minus = '', name = '', list] = /^(-?)([a-z]*)(?::(.*))?$/i.exec(last) ?? []
  if (list === undefined) return propertiesOf(minus, name)
  const property = [...SETS, ...WINDOWS].find((one) => one === name.toLowerCase())
  if (!property) return []
  const before = list.slice(0, list.lastIndexOf(',') + 1)
  const asked = plain(list.slice(before.length).replaceAll('"', ''))
  return valuesOf(property, meaning)
    .map((value) => ({ value, label: valueWords(property, value, meaning) }))
    .filter(({ value, label }) => plain(label).includes(asked) || plain(value).startsWith(asked))
    .slice(0, MOST)
    .map(({ value, label }) => ({
      ...{ typed: `${minus}${name}:${before}${quoted(value)}`, label, hint: value, whole: true },
    }))
}

/** The text with its last word completed. */
export const completed = (text: string, { typed, whole }: Completion): string =>
  `${text.slice(0, text.length - lastWord(text).length)}${typed}${whole ? ' ' : ''}`

function propertiesOf(minus: string, name: string): Completion[] {
  return [...SETS, ...WINDOWS]
    .filter(
      (one) =>
        one.startsWith(name.toLowerCase()) || plain(m.properties[one]).startsWith(plain(name)),
    )
    .filter((one) => minus === '' || one === 'due' || (SETS as readonly string[]).includes(one))
    .map((one) => ({
      ...{
        typed: `${minus}${one}:`,
        label: m.properties[one],
        hint: `${minus}${one}:`,
        whole: false,
      },
    }))
}

function valuesOf(property: Property, { statuses, members, tags }: Meaning): readonly string[] {
  if (property === 'status') return ['open', 'closed', ...statuses.map(({ key }) => key)]
  if (property === 'assignee') return ['me', 'none', ...members.map(({ name }) => name)]
  if (property === 'creator') return ['me', ...members.map(({ name }) => name)]
  if (property === 'tag') return ['none', ...tags.map(({ name }) => name)]
  if (property === 'priority') return PRIORITIES
  if (property === 'parent') return ['none']
  return property === 'due' ? DUE : property === 'updated' ? AGES.slice(0, 3) : AGES
}

const lastWord = (text: string): string => /(?:"[^"]*"?|[^\s"])*$/.exec(text)?.[0] ?? ''
const quoted = (value: string) => (/[\s,]/.test(value) ? `"${value}"` : value)
