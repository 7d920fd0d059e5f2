import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts of a filter: its conditions, their editor, and what is wrong with a typed one. */
export const filterMessages = defineMessages('filter', {
  is: (property: string) => `${property} is`,
  isNot: (property: string) => `${property} is not`,
  has: (property: string) => `${property} contains`,
  hasText: (property: string, text: string) => `${property} contains “${text}”`,
  orJoin: ' or ',
  me: 'me',
  openStatuses: 'open',
  closedStatuses: 'closed',
  dueWords: {
    overdue: 'overdue',
    today: 'today',
    tomorrow: 'tomorrow',
    week: 'this week',
    nextweek: 'next week',
    none: 'none',
    any: 'any',
  },
  before: (day: string) => `before ${day}`,
  after: (day: string) => `after ${day}`,
  inDays: (n: number) => plural(n, { one: 'within # day', other: 'within # days' }),
  inMore: (n: number) => plural(n, { one: 'more than # day away', other: 'more than # days away' }),
  below: (time: string) => `less than ${time}`,
  above: (time: string) => `more than ${time}`,
  lastDays: (n: number) => plural(n, { one: 'in the last # day', other: 'in the last # days' }),
  longerAgo: (n: number) =>
    plural(n, { one: 'more than # day ago', other: 'more than # days ago' }),

  conditions: 'Filter conditions',
  add: 'Add filter',
  change: (chip: string) => `Change filter: ${chip}`,
  remove: (chip: string) => `Remove filter: ${chip}`,
  shown: (count: number, all: number) => `${formatNumber(count)} of ${formatNumber(all)}`,
  clear: 'Clear',
  clearAll: 'Clear filter',
  edit: 'Edit',
  findProperty: 'Filter by property, value or text',
  findValue: {
    day: 'Friday, 15 Dec, in 2 weeks',
    age: '30 days, last Friday, 15 Nov',
    duration: '2h, 45m, 1h 30m',
  },
  findText: 'Words in title or description',
  operator: 'Condition',
  operators: {
    any: 'is any of',
    none: 'is none of',
    on: 'is',
    before: 'is before',
    after: 'is after',
    within: 'is in the last',
    longer: 'is longer ago than',
    below: 'is less than',
    above: 'is more than',
  },
  noDate: 'Not a date yet',
  noDuration: 'Not a duration yet',
  properties: 'All properties',
  advanced: 'Advanced',
  typed: 'Filter as text',
  typedHelp: (properties: string) =>
    `Properties: ${properties}. A minus excludes, a comma means “or”, quotation marks hold words together.`,
  apply: 'Apply',
  wrong: {
    property: (name: string) =>
      `There is no property “${name}”. Put words to search for in quotation marks.`,
    value: (value: string, property: string) =>
      `“${value}” matches no value of “${property}”, or more than one.`,
    missing: (token: string) => `A value is missing after “${token}”.`,
    date: (value: string, examples: string) =>
      `“${value}” is not a date. Write one of: ${examples}.`,
    duration: (value: string, examples: string) =>
      `“${value}” is not a duration. Write one of: ${examples}.`,
    negated: (name: string) => `“${name}” cannot be excluded with a minus.`,
    quote: 'A closing quotation mark is missing.',
  },
})
