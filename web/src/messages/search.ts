import { listed, plural } from './plural.ts'
import { say } from './say.ts'

const places = { title: 'title', description: 'description', comments: 'comments' }

/** Texts of the search. */
export const m = say('search', {
  title: 'Search',
  of: (name: string) => `Tasks of ${name}`,
  nobodys: 'Nothing is assigned to this person.',
  label: 'Words, or the number of a task',
  placeholder: 'Words, or DOC-42',
  hint: 'Every word that you type must begin a word of the title, the description or a comment.',
  none: (q: string) => `Nothing has all of “${q}”. Try fewer or shorter words.`,
  noneHere: (q: string) => `Nothing here has all of “${q}”.`,
  everywhere: 'Search everywhere',
  count: (found: number, more: boolean) => (more ? `${found}+` : String(found)),
  found: (n: number) => plural(n, { one: '# task found', other: '# tasks found' }),
  results: 'Tasks found',
  filters: 'Narrow the search',
  project: 'Project',
  assignee: 'Assignee',
  in: 'Where',
  former: 'Somebody who left',
  places,
  placeNames: (names: readonly (keyof typeof places)[]) => listed(names.map((one) => places[one])),
  remove: (what: string, value: string) => `Remove the filter ${what} ${value}`,
  where: { description: 'Description', comment: 'Comment' },
  more: 'Show more',
  cut: 'There are more, among older tasks and comments. Type another word to find them.',
  toField: 'Change the words',
})
