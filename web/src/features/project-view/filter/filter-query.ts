import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { foldCase } from '#lib/fold-case.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import type { Member } from '#resources/members/contract.ts'
import type { Project, Status } from '#resources/projects/contract.ts'
import type { Tag } from '#resources/tags/contract.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import {
  addDaysToDate,
  isPlainDate,
  type PlainDate,
  startOfWeek,
} from '../../../lib/dates/plain-date.ts'
import {
  FILTER_PROPERTIES,
  type FilterRules,
  type FixedProperty,
  getFilterRules,
  isCustomProperty,
  isFixedProperty,
  type PropertyFields,
  type RangeRules,
} from '../../property-definitions.ts'
import { type FilterClause, getSearchedWords, type ViewFilter } from './view-filter.ts'

/** What is needed to resolve the words of a filter in a project. */
export interface FilterContext {
  statuses: readonly Status[]
  members: readonly Pick<Member, 'id' | 'name'>[]
  tags: readonly Pick<Tag, 'id' | 'name'>[]
  /** The projects whose tasks the page shows. */
  projects: readonly Pick<Project, 'id' | 'prefix' | 'name'>[]
  me: string
  today: PlainDate
  /** Milliseconds since 1970; asked for, so that what holds the context stays as time passes. */
  now: () => number
}

export type FilterParams = Record<string, string | readonly string[] | boolean>

/** A filter as query parameters. */
interface FilterQuery {
  /** Parameters of the public API. */
  api: FilterParams
  /** What the API has no parameter for: only the page decides it, from the tasks it holds. */
  pageOnly: FilterParams
}

const OPEN_STATUS_CATEGORIES = ['backlog', 'unstarted', 'started']
const UNKNOWN_USER_ID = `usr_${'0'.repeat(26)}`
const UNKNOWN_TAG_ID = `tag_${'0'.repeat(26)}`
const UNKNOWN_PROJECT_ID = `prj_${'0'.repeat(26)}`
const UNKNOWN_STATUS = 'no_such_status'
/** The most that the API searches for. */
const MAX_TEXT_LENGTH = 200

/** Ages count from the full hour, so that the same filter produces the same query. */
export const startOfHour = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** Translates a filter into query parameters (docs/spec/api.md#sorting-and-filters). */
export function toFilterQuery(filter: ViewFilter, meaning: FilterContext): FilterQuery {
  const api: FilterParams = {}
  const beyond: FilterParams = {}
  const statuses = allowedStatuses(filter, meaning)
  if (statuses) api.status = statuses.length > 0 ? statuses : [UNKNOWN_STATUS]
  for (const { property, not, values } of filter) {
    const [value = ''] = values
    if (isFixedProperty(property)) {
      const { param } = getFilterRules(property) ?? {}
      const allowed = allowedValues(property, filter)
      if (allowed.length === 0) api.status = [UNKNOWN_STATUS]
      else if (param) api[param] = allowed
      else beyond[property] = allowed
    } else if (isCustomProperty(property)) beyond[not ? `not_${property}` : property] = values
    else if (property === 'text') {
      const text = getFilterText(filter)
      if (text !== undefined) api.q = text
    } else if (property === 'parent') api.parent_id = 'none'
    else if (property === 'project') {
      const ids = values.map((one) => resolveProjectWord(one, meaning) ?? UNKNOWN_PROJECT_ID)
      if (not) beyond.not_project_id = ids
      else api.project_id = ids
    } else if (property === 'assignee' || property === 'creator' || property === 'tag') {
      const ids = values.flatMap((one) =>
        property === 'tag'
          ? orUnknown(resolveTagWord(one, meaning), UNKNOWN_TAG_ID)
          : (resolveMember(one, meaning) ?? UNKNOWN_USER_ID),
      )
      const param = getFilterRules(property)?.param ?? property
      if (not) beyond[`not_${param}`] = ids
      else api[param] = ids
    } else {
      const range = getFilterRules(property)?.range
      if (!range) continue
      if (value === 'none' || value === 'any') {
        if (beyond[property] !== undefined && beyond[property] !== value)
          api.status = [UNKNOWN_STATUS]
        beyond[property] = value
      } else
        for (const [bound, limit] of Object.entries(toBounds(range.type, value, meaning))) {
          const param = range.api?.[bound === 'after' ? 'after' : 'before']
          if (param) narrowRange(api, param, limit)
          else narrowRange(beyond, `${property}_${bound}`, limit)
        }
    }
  }
  return { api, pageOnly: beyond }
}

/**
 * A function that says whether a task matches a filter. `matchesText` decides whether it has the
 * words of a text clause; without it, every task does.
 */
export function compileFilter<T extends PropertyFields>(
  filter: ViewFilter,
  meaning: FilterContext,
  matchesText?: (task: T) => boolean,
): (task: T) => boolean {
  const { api, pageOnly } = toFilterQuery(filter, meaning)
  const conditions: ((task: T) => boolean)[] = []
  for (const property of FILTER_PROPERTIES) {
    const { keysOf, param = property.id }: FilterRules = property
    if (keysOf) {
      for (const [values, not] of [
        [api[param] ?? pageOnly[param], false],
        [pageOnly[`not_${param}`], true],
      ] as const) {
        if (values === undefined || typeof values === 'boolean') continue
        const wanted = new Set([values].flat())
        conditions.push((task) => keysOf(task).some((key) => wanted.has(key)) !== not)
      }
    } else if ('range' in property) {
      const { id } = property
      const { type, getValue, api: params }: RangeRules = property.range
      const comparable = (task: T) => {
        const found = getValue(task)
        return found === null || type !== 'duration' ? found : toComparable(Number(found))
      }
      const after = (params?.after && api[params.after]) ?? pageOnly[`${id}_after`]
      const before = (params?.before && api[params.before]) ?? pageOnly[`${id}_before`]
      if (typeof after === 'string')
        conditions.push((task) => {
          const found = comparable(task)
          return found !== null && found >= after
        })
      if (typeof before === 'string')
        conditions.push((task) => {
          const found = comparable(task)
          return found !== null && found < before
        })
      if (pageOnly[id] !== undefined)
        conditions.push((task) => (pageOnly[id] === 'none') === (getValue(task) === null))
    }
  }
  for (const { property, not, values } of filter) {
    if (!isCustomProperty(property)) continue
    const { keysOf } = getFilterRules(property) ?? {}
    const wanted = new Set(values.map(foldCase))
    conditions.push((task) => keysOf?.(task).some((key) => wanted.has(foldCase(key))) !== not)
  }
  if (matchesText && api.q !== undefined) conditions.push(matchesText)
  return (task) => {
    for (const isMet of conditions) if (!isMet(task)) return false
    return true
  }
}

/** Whether a filter asks for tasks that are completed or canceled, or for those alone. */
export function asksForFinished(filter: ViewFilter, meaning: FilterContext): boolean {
  const keys = allowedStatuses(filter, meaning)
  const isFinished = ({ key, category }: Status) =>
    !OPEN_STATUS_CATEGORIES.includes(category) && keys?.includes(key)
  return (
    filter.some(({ property }) => property === 'completed') || meaning.statuses.some(isFinished)
  )
}

/** Finds a member by id, `me`, name, or the only name that starts with the word. */
export function resolveMember(
  word: string,
  { members, me }: Pick<FilterContext, 'members' | 'me'>,
): string | undefined {
  if (word === 'none') return word
  return word === 'me' ? me : findByName(word, members)
}

/** Whether all tasks that match a filter are assigned to the viewer. */
export const isFilterOfOwnTasks = (
  filter: ViewFilter,
  context: Pick<FilterContext, 'members' | 'me'>,
): boolean =>
  filter.some(
    ({ property, not, values }) =>
      property === 'assignee' &&
      !not &&
      values.every((one) => resolveMember(one, context) === context.me),
  )

export const resolveTag = (word: string, { tags }: FilterContext): string | undefined =>
  word === 'none' ? word : findByName(word, tags)

/** The tags with the name that a word means: each project may have one. */
export function resolveTagWord(word: string, meaning: FilterContext): readonly string[] {
  const id = resolveTag(word, meaning)
  const tag = meaning.tags.find((one) => one.id === id)
  if (!tag || id === undefined || id === word) return id === undefined ? [] : [id]
  return meaning.tags.filter(({ name }) => name === tag.name).map((one) => one.id)
}

const orUnknown = (ids: readonly string[], unknownId: string) => (ids.length > 0 ? ids : unknownId)

/** Finds a project by id, prefix or name. */
export const resolveProjectWord = (word: string, { projects }: FilterContext): string | undefined =>
  projects.find(({ prefix }) => prefix === word.toUpperCase())?.id ?? findByName(word, projects)

/** What `open` and `closed` mean in place of the status with that key. */
const STATUS_GROUPS = ['open', 'closed']

/** The word of a status: its key, after `=` if it would mean a group of statuses. */
export const toStatusWord = (key: string): string =>
  STATUS_GROUPS.includes(normalizeWord(key)) ? `=${key}` : key

/** `open` and `closed` mean all statuses of those categories, `=open` the one with this key. */
export function resolveStatusKeys(word: string, { statuses }: FilterContext): string[] {
  if (word.startsWith('='))
    return statuses.filter(({ key }) => key === word.slice(1)).map(({ key }) => key)
  const wanted = normalizeWord(word)
  const isMeant = ({ key, name, category }: Status) =>
    wanted === 'open'
      ? OPEN_STATUS_CATEGORIES.includes(category)
      : wanted === 'closed'
        ? !OPEN_STATUS_CATEGORIES.includes(category)
        : key === word || normalizeWord(name) === wanted
  return statuses.filter(isMeant).map(({ key }) => key)
}

/** Normalizes a word for comparison: ignores case, spaces, `_`, `.` and `-`. */
export const normalizeWord = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_.-]+/g, '')

const findByName = (word: string, all: readonly NamedRecord[]): string | undefined =>
  (all.find(({ id }) => id === word) ?? findNamed(word, all))?.id

interface NamedRecord {
  id: string
  name: string
}

/**
 * The record with exactly this name, else with one that differs in case or punctuation, else the only
 * one whose name starts with the word.
 */
export function findNamed<R extends NamedRecord>(word: string, all: readonly R[]): R | undefined {
  const wanted = normalizeWord(word)
  const named =
    all.find(({ name }) => name === word) ?? all.find(({ name }) => normalizeWord(name) === wanted)
  if (named) return named
  const matching = all.filter(({ name }) => normalizeWord(name).startsWith(wanted))
  return matching.length === 1 ? matching[0] : undefined
}

/** The statuses that satisfy every status clause; undefined if there is no such clause. */
function allowedStatuses(filter: ViewFilter, meaning: FilterContext): string[] | undefined {
  const keysOf = (words: readonly string[]) =>
    words.flatMap((word) => resolveStatusKeys(word, meaning))
  const clauses = filter.filter(
    ({ property, values }) => property === 'status' || isOverdue(property, values),
  )
  if (clauses.length === 0) return undefined
  return meaning.statuses
    .map(({ key }) => key)
    .filter((key) =>
      clauses.every(({ property, not, values }) => {
        const keys = keysOf(property === 'status' ? values : ['open'])
        return keys.includes(key) !== not
      }),
    )
}

/** The values that satisfy every clause of a property whose values are the same everywhere. */
function allowedValues(property: FixedProperty, filter: ViewFilter): readonly string[] {
  const clauses = filter.filter((clause) => clause.property === property)
  return (getFilterRules(property)?.values ?? []).filter((one) =>
    clauses.every(({ not, values }) => values.map(normalizeWord).includes(one) !== not),
  )
}

const isOverdue = (property: FilterClause['property'], values: readonly string[]) =>
  property === 'due' && values[0] === 'overdue'

/** What a value of a range property includes: from `after` on, and less than `before`. */
interface RangeBounds {
  after?: string
  before?: string
}

function toBounds(
  type: RangeRules['type'],
  value: string,
  { today, now }: FilterContext,
): RangeBounds {
  if (type === 'day') return toDays(value, today)
  if (type === 'age') {
    const ms = startOfHour(now()) - parseDays(value.slice(1)) * DAY_MS
    const at = new Date(ms).toISOString()
    return value.startsWith('>') ? { before: at } : { after: at }
  }
  const seconds = parseDuration(value.slice(1)) ?? 0
  return value.startsWith('>')
    ? { after: toComparable(seconds + 1) }
    : { before: toComparable(seconds) }
}

/** Seconds as a text that is greater if they are more. */
const toComparable = (seconds: number): string => String(seconds).padStart(12, '0')

function toDays(value: string, today: PlainDate): RangeBounds {
  if (value === 'overdue') return { before: today }
  if (value === 'today') return { after: today, before: addDaysToDate(today, 1) }
  if (value === 'tomorrow')
    return { after: addDaysToDate(today, 1), before: addDaysToDate(today, 2) }
  if (value === 'week' || value === 'nextweek') {
    const start = addDaysToDate(startOfWeek(today), value === 'week' ? 0 : 7)
    return { after: start, before: addDaysToDate(start, 7) }
  }
  if (isPlainDate(value)) return { after: value, before: addDaysToDate(value, 1) }
  const rest = value.slice(1)
  const day = isPlainDate(rest) ? rest : addDaysToDate(today, parseDays(rest))
  if (value.startsWith('>')) return { after: addDaysToDate(day, 1) }
  // "Within 7 days" begins today; "before 15 Dec" has no beginning.
  return isPlainDate(rest) ? { before: day } : { after: today, before: day }
}

const parseDays = (text: string) => Number.parseInt(text, 10) * (text.endsWith('w') ? 7 : 1)

/** Adds a bound; of two bounds of the same kind the narrower one counts. */
function narrowRange(query: FilterParams, name: string, limit: string): void {
  const current = query[name]
  const isNarrower =
    typeof current !== 'string' || (name.endsWith('_before') ? limit < current : limit > current)
  if (isNarrower) query[name] = limit
}

/** The words of a filter, as the API searches for them; undefined if it has none. */
export function getFilterText(filter: ViewFilter): string | undefined {
  const text = filter.find(({ property }) => property === 'text')?.values[0] ?? ''
  return getSearchedWords(text).slice(0, MAX_TEXT_LENGTH) || undefined
}

/** Whether a text finds a task: by its short id, or by the beginnings of words. */
export function hasFilterText(
  { title, description, short_id }: Pick<Task, 'title' | 'description' | 'short_id'>,
  text: string,
  { extractQueryWords, hasAllWords }: Pick<SearchWords, 'extractQueryWords' | 'hasAllWords'>,
): boolean {
  if (normalizeWord(text) === normalizeWord(short_id)) return true
  const words = extractQueryWords(text)
  return words.length > 0 && hasAllWords(`${title}\n${description ?? ''}`, words)
}

/** What splits texts into words; only a filter by text loads it. */
type SearchWords = typeof import('#lib/search-words.ts')
export const loadSearchWords = (): Promise<SearchWords> => import('#lib/search-words.ts')
