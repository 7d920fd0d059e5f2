import type { Member } from '#resources/members/contract.ts'
import type { Status } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '../../data/task-view.ts'
import { addDays, isDay, type PlainDate, startOfWeek } from '../../lib/day.ts'
import type { Clause, Filter } from './filter.ts'

/** What the words of a filter mean in a project. */
export interface Meaning {
  statuses: readonly Status[]
  members: readonly Pick<Member, 'id' | 'name'>[]
  tags: readonly Pick<Tag, 'id' | 'name'>[]
  me: string
  today: PlainDate
  /** Milliseconds since 1970; ages count from the full hour, so that the same filter asks the same. */
  now: number
}

export type Query = Record<string, string | readonly string[] | boolean>

/** `api` is what the API understands, too; `beyond` only the app's own index does. */
export interface Asked {
  api: Query
  beyond: Query
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
export const OPEN = ['backlog', 'unstarted', 'started']
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
const NOBODY = `usr_${'0'.repeat(26)}`
const NO_TAG = `tag_${'0'.repeat(26)}`
const NO_STATUS = 'no_such_status'

/** The parameters that ask for what a filter means (contract 3.3). */
export function queryOf(filter: Filter, meaning: Meaning): Asked {
  const api: Query = {}
  const beyond: Query = {}
  const statuses = statusesOf(filter, meaning)
  if (statuses) api.status = statuses.length > 0 ? statuses : [NO_STATUS]
  const priorities = prioritiesOf(filter)
  if (priorities?.length === 0) api.status = [NO_STATUS]
  else if (priorities) api.priority = priorities
  for (const { property, not, values } of filter) {
    const [value = ''] = values
    if (property === 'text') api.q = value.slice(0, 200)
    else if (property === 'parent') api.parent_id = 'none'
    else if (property === 'assignee' || property === 'creator') {
      const name = property === 'assignee' ? 'assignee_id' : 'created_by_id'
      const ids = values.map((one) => personOf(one, meaning) ?? NOBODY)
      if (not) beyond[`not_${name}`] = ids
      else api[name] = ids
    } else if (property === 'tag') {
      const ids = values.map((one) => tagOf(one, meaning) ?? NO_TAG)
      if (not) beyond.not_tag_id = ids
      else api.tag_id = ids
    } else if (property === 'due') {
      if (value === 'none' || value === 'any') beyond.due = value
      else narrow(api, dueWindow(value, meaning.today))
    } else if (property === 'created' || property === 'updated' || property === 'completed') {
      narrow(api, ageWindow(property, value, meaning.now))
    }
  }
  return { api, beyond }
}

/** The same condition on one task, for those changed here that the server has not placed yet. */
export function matches(task: Task, filter: Filter, meaning: Meaning): boolean {
  const { api, beyond } = queryOf(filter, meaning)
  const list = (name: string, from = api) => from[name] as readonly string[] | undefined
  const text = (name: string, from = api) => from[name] as string | undefined
  const among = (wanted: readonly string[] | undefined, has: readonly string[]) =>
    wanted === undefined ||
    has.some((one) => wanted.includes(one)) ||
    (has.length === 0 && wanted.includes('none'))
  const none = (unwanted: readonly string[] | undefined, has: readonly string[]) =>
    unwanted === undefined || !among(unwanted, has)
  return (
    among(list('status'), [task.status]) &&
    among(list('priority'), [task.priority]) &&
    among(list('assignee_id'), task.assignee_ids) &&
    none(list('not_assignee_id', beyond), task.assignee_ids) &&
    among(list('created_by_id'), [task.created_by_id]) &&
    none(list('not_created_by_id', beyond), [task.created_by_id]) &&
    among(list('tag_id'), task.tag_ids) &&
    none(list('not_tag_id', beyond), task.tag_ids) &&
    (text('parent_id') === undefined || task.parent_id === null) &&
    (text('due', beyond) === undefined ||
      (text('due', beyond) === 'none') === (task.due_date === null)) &&
    within(task.due_date, text('due_after'), text('due_before')) &&
    within(task.created_at, text('created_after'), text('created_before')) &&
    within(task.updated_at, text('updated_since'), undefined) &&
    within(task.completed_at, text('completed_after'), text('completed_before')) &&
    holds(task, text('q'))
  )
}

/** A member that a word means: an id, `me`, a name, or the only one whose name begins so. */
export function personOf(word: string, { members, me }: Meaning): string | undefined {
  if (word === 'none') return word
  return word === 'me' ? me : oneOf(word, members)
}

export const tagOf = (word: string, { tags }: Meaning): string | undefined =>
  word === 'none' ? word : oneOf(word, tags)

/** `open` and `closed` stand for the statuses of their kinds. */
export function statusKeys(word: string, { statuses }: Meaning): string[] {
  const asked = plain(word)
  const fits = ({ key, name, category }: Status) =>
    asked === 'open'
      ? OPEN.includes(category)
      : asked === 'closed'
        ? !OPEN.includes(category)
        : key === word || plain(name) === asked
  return statuses.filter(fits).map(({ key }) => key)
}

/** Two words are the same whatever their case, and whatever joins their parts. */
export const plain = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_.-]+/g, '')

function oneOf(word: string, all: readonly { id: string; name: string }[]): string | undefined {
  const asked = plain(word)
  const found = all.find(({ id }) => id === word) ?? all.find(({ name }) => plain(name) === asked)
  if (found) return found.id
  const begin = all.filter(({ name }) => plain(name).startsWith(asked))
  return begin.length === 1 ? begin[0]?.id : undefined
}

/** The statuses that are left by all that is said of them; undefined: all. */
function statusesOf(filter: Filter, meaning: Meaning): string[] | undefined {
  const keysOf = (words: readonly string[]) => words.flatMap((word) => statusKeys(word, meaning))
  const about = filter.filter(
    ({ property, values }) => property === 'status' || isOverdue(property, values),
  )
  if (about.length === 0) return undefined
  return meaning.statuses
    .map(({ key }) => key)
    .filter((key) =>
      about.every(({ property, not, values }) => {
        const keys = keysOf(property === 'status' ? values : ['open'])
        return keys.includes(key) !== not
      }),
    )
}

function prioritiesOf(filter: Filter): string[] | undefined {
  const about = filter.filter(({ property }) => property === 'priority')
  if (about.length === 0) return undefined
  return PRIORITIES.filter((one) =>
    about.every(({ not, values }) => values.map(plain).includes(one) !== not),
  )
}

const isOverdue = (property: Clause['property'], values: readonly string[]) =>
  property === 'due' && values[0] === 'overdue'

function dueWindow(value: string, today: PlainDate): Window {
  if (value === 'overdue') return { due_before: today }
  if (value === 'today') return { due_after: today, due_before: addDays(today, 1) }
  if (value === 'tomorrow') return { due_after: addDays(today, 1), due_before: addDays(today, 2) }
  if (value === 'week') {
    const start = startOfWeek(today)
    return { due_after: start, due_before: addDays(start, 7) }
  }
  if (isDay(value)) return { due_after: value, due_before: addDays(value, 1) }
  const rest = value.slice(1)
  const day = isDay(rest) ? rest : addDays(today, daysOf(rest))
  return value.startsWith('<') ? { due_before: day } : { due_after: addDays(day, 1) }
}

function ageWindow(
  property: 'created' | 'updated' | 'completed',
  value: string,
  now: number,
): Window {
  const ms = Math.floor(now / HOUR_MS) * HOUR_MS - daysOf(value.slice(1)) * DAY_MS
  const at = new Date(ms).toISOString()
  if (value.startsWith('>')) return { [`${property}_before`]: at }
  return { [property === 'updated' ? 'updated_since' : `${property}_after`]: at }
}

type Window = Record<string, string>

const daysOf = (text: string) => Number.parseInt(text, 10) * (text.endsWith('w') ? 7 : 1)

/** Two windows of one date leave what both have. */
function narrow(query: Query, window: Window): void {
  for (const [name, value] of Object.entries(window)) {
    const old = query[name]
    const narrower =
      typeof old !== 'string' || (name.endsWith('_before') ? value < old : value > old)
    if (narrower) query[name] = value
  }
}

const within = (value: string | null, after: string | undefined, before: string | undefined) =>
  (after === undefined && before === undefined) ||
  (value !== null &&
    (after === undefined || value >= after) &&
    (before === undefined || value < before))

const WORD = /[\p{L}\p{N}\p{M}]+/gu

function holds({ title, description, short_id }: Task, q: string | undefined): boolean {
  if (q === undefined || plain(q) === plain(short_id)) return true
  const wordsOf = (text: string) => text.normalize('NFC').toLowerCase().match(WORD) ?? []
  const has = wordsOf(`${title} ${description ?? ''}`)
  const asked = wordsOf(q)
  return asked.length > 0 && asked.every((word) => has.some((one) => one.startsWith(word)))
}
