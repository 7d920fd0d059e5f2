import { defineMessages } from '../define-messages.ts'
import { formatList, formatNumber, plural } from '../plural.ts'

const places = { title: 'title', description: 'description', comments: 'comments' }

/** Texts of the search. */
export const searchMessages = defineMessages('search', {
  title: 'Search',
  of: (name: string) => `Tasks assigned to ${name}`,
  nobodys: 'No tasks are assigned to this person.',
  label: 'Search tasks',
  placeholder: 'Search words, or DOC-42',
  hint: 'Search titles, descriptions and comments. Each word matches the beginning of a word.',
  none: (q: string) => `No results for “${q}”. Try fewer or shorter words.`,
  noneHere: (q: string) => `No results for “${q}” with these filters.`,
  everywhere: 'Search everywhere',
  count: (found: number, more: boolean) => (more ? `${formatNumber(found)}+` : formatNumber(found)),
  found: (n: number) => plural(n, { one: '# task found', other: '# tasks found' }),
  results: 'Search results',
  filters: 'Search filters',
  project: 'Project',
  assignee: 'Assignee',
  in: 'Found in',
  former: 'Former member',
  places,
  placeNames: (names: readonly (keyof typeof places)[]) =>
    formatList(names.map((one) => places[one])),
  remove: (what: string, value: string) => `Remove filter: ${what} ${value}`,
  where: { description: 'Description', comment: 'Comment' },
  more: 'Show more',
  cut: 'Older tasks and comments may match, too. Add another word to find them.',
  toField: 'Edit search',
})
