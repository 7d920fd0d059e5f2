import { foldCase } from '#lib/fold-case.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import type { CreateTaskBody } from '../data/tasks/create-task.ts'
import type { Task, TaskPatch } from '../data/tasks/task-patch.ts'
import { isTaskBlocked } from '../data/tasks/task-store.ts'
import { formatDuration } from '../lib/dates/duration.ts'
import { projectViewMessages } from '../messages/tasks/project-view.ts'

/** A custom field as a property, by its name: `field.customer`. */
export type CustomProperty = `field.${string}`
export const toCustomProperty = (field: string): CustomProperty => `field.${field}`
export const isCustomProperty = (id: string): id is CustomProperty =>
  /^field\.[a-z][a-z0-9_]*$/.test(id)
const getFieldName = (id: CustomProperty): string => id.slice('field.'.length)

/** The name of a property on the screen. */
export const getPropertyName = (
  id: keyof typeof projectViewMessages.properties | CustomProperty,
) => (isCustomProperty(id) ? getFieldName(id) : projectViewMessages.properties[id])

/** The texts of the value of a custom field, which is a text, a number, yes or no, or a list. */
function listFieldTexts(id: CustomProperty, { custom_fields }: Pick<Task, 'custom_fields'>) {
  const value = custom_fields?.[getFieldName(id)]
  if (typeof value === 'boolean') return [value ? 'yes' : 'no']
  return [value ?? []].flat().flatMap((one) => (one === '' ? [] : String(one)))
}

const createCustomFormat =
  (id: CustomProperty) =>
  (task: Pick<Task, 'custom_fields'>): string =>
    listFieldTexts(id, task).map(formatFieldText).join(', ')

/** A text of a custom field on the screen. */
export const formatFieldText = (text: string): string =>
  text === 'yes' || text === 'no' ? projectViewMessages.yesNo[text] : text

interface TaskProperty {
  id: string
  /** The width of its column in the list, rem. */
  width: number
  /** The CSS class of its cells, if it is not the id. */
  className?: string
  /** The order that a click on its header begins. */
  sort?: SortBy
  /** The picker that a click on its cell opens. */
  picker?: string
  /** Its value in a task as text, which may be shorter in a list; empty if there is none. */
  format?: (task: Task) => string
}

type NullableField = { [N in keyof Task]: null extends Task[N] ? N : never }[keyof Task]

/** A property of one field that may be null, which people read and type as text. */
interface PropertyRules extends TaskProperty {
  field: NullableField & keyof CreateTaskBody
  /** Numbers are at the end of their cell, texts at its start. Narrow screens have neither. */
  className: 'time' | 'status'
  format: (task: Task) => string
  /** What a typed text changes; undefined if it is no value. An empty text removes the value. */
  parse: (typed: string) => TaskPatch | undefined
}

/**
 * The properties from which follow a column of the list, a row of the panel, the words of the
 * activity, a column of the CSV export, a line of the Markdown copy, and the field of a task that is
 * not saved yet. Their texts are `properties` and `values` of messages/tasks/project-view.ts.
 */
const VALUES = [
  {
    id: 'estimate',
    field: 'estimate_seconds',
    sort: 'estimate',
    width: 5.5,
    className: 'time',
    picker: 'estimate',
    format: ({ estimate_seconds: value }) => (value === null ? '' : formatDuration(value)),
    parse: (typed) => {
      const estimate_seconds = typed.trim() === '' ? null : parseDuration(typed)
      return estimate_seconds === undefined ? undefined : { estimate_seconds }
    },
  },
] as const satisfies readonly PropertyRules[]

export type ValueField = (typeof VALUES)[number]['field']
export type ValueDefinition = PropertyRules & { id: (typeof VALUES)[number]['id'] }
export const VALUE_PROPERTIES: readonly ValueDefinition[] = VALUES

/** The optional columns of a list besides number and title, in display order. */
export const LIST_COLUMNS = [
  { id: 'project', width: 9, sort: 'project' },
  { id: 'status', width: 8, sort: 'status', picker: 'status' },
  { id: 'tags', width: 12.5, sort: 'tag', picker: 'tags' },
  { id: 'time', width: 8.5, sort: 'spent', picker: 'estimate' },
  ...VALUES,
  { id: 'start', width: 7.5, sort: 'start' },
  {
    id: 'repeat',
    width: 7.5,
    sort: 'repeat',
    className: 'status',
    picker: 'repeat',
    format: formatRepetition,
  },
  { id: 'due', width: 7.5, sort: 'due_date', className: 'when', picker: 'due' },
  { id: 'priority', width: 2, sort: 'priority', className: 'prio', picker: 'priority' },
  { id: 'who', width: 4.5, sort: 'assignee', className: 'people', picker: 'assignees' },
  { id: 'created', width: 6.5, sort: 'created_at' },
  { id: 'updated', width: 6.5, sort: 'updated_at' },
] as const satisfies readonly TaskProperty[]
export type ColumnId = (typeof LIST_COLUMNS)[number]['id'] | CustomProperty

export const getColumn = (id: ColumnId): TaskProperty | undefined =>
  isCustomProperty(id)
    ? { id, width: 8, sort: id, className: 'status', format: createCustomFormat(id) }
    : LIST_COLUMNS.find((one) => one.id === id)

/** The columns to choose from, those of custom fields at the end. */
export const listColumns = (fields: readonly string[]): ColumnId[] => [
  ...LIST_COLUMNS.map(({ id }) => id),
  ...fields.map(toCustomProperty),
]

/** The CSS class of a column's cells. */
export const getColumnClass = (id: ColumnId): string => getColumn(id)?.className ?? id

/** The priorities, the most urgent first. */
export const PRIORITY_VALUES: readonly Task['priority'][] = [
  'urgent',
  'high',
  'medium',
  'low',
  'none',
]

/** How often tasks repeat, the most frequent first. */
export const REPETITIONS = ['daily', 'weekly', 'monthly', 'yearly'] as const

/** How often a task repeats, whatever its interval and days; undefined if it does not. */
const getRepetition = ({ recurrence }: Pick<Task, 'recurrence'>) =>
  REPETITIONS.find((one) => recurrence?.rrule.includes(`FREQ=${one.toUpperCase()}`))

/** How often a task repeats: "Weekly", "Every 2 weeks". */
function formatRepetition(task: Pick<Task, 'recurrence'>): string {
  const repetition = getRepetition(task)
  const interval = Number(/INTERVAL=(\d+)/.exec(task.recurrence?.rrule ?? '')?.[1] ?? 1)
  if (!repetition) return ''
  return interval === 1
    ? projectViewMessages.repeats[repetition]
    : projectViewMessages.repeatsEvery[repetition](interval)
}

export const YES_NO = ['yes', 'no'] as const

/** How tasks are filtered, grouped, sorted and counted by a property. */
export interface FilterRules {
  id: string
  /** Of properties with a set of values: those of a task, `none` if it has none. */
  keysOf?: (task: PropertyFields) => readonly string[]
  /** All values, in the order of their groups, if they are the same everywhere. */
  values?: readonly string[]
  /** The parameter of the API that takes such values; the page alone compares others. */
  param?: string
  /** Of days, points in time and amounts. */
  range?: RangeRules
  /** What tasks are sorted by, if that is not the value of the range; null if a task has none. */
  getSortValue?: (task: PropertyFields) => string | number | null
}

/** How a property is compared that is a day, a point in the past, or a duration. */
export interface RangeRules {
  type: 'day' | 'age' | 'duration'
  /** Seconds, or what sorts as a text; null if the task has none. */
  getValue: (task: PropertyFields) => string | number | null
  /** The parameters of the API for its bounds; the page alone compares those that are missing. */
  api?: { after?: string; before?: string }
}

/** The fields of a task that its properties are read from. */
export type PropertyFields = Pick<
  Task,
  | 'status'
  | 'status_category'
  | 'priority'
  | 'assignee_ids'
  | 'tag_ids'
  | 'parent_id'
  | 'project_id'
  | 'created_by_id'
  | 'blocked_by_ids'
  | 'recurrence'
  | 'custom_fields'
  | 'start_date'
  | 'due_date'
  | 'estimate_seconds'
  | 'time_spent_seconds'
  | 'created_at'
  | 'updated_at'
  | 'completed_at'
>

/** The texts of the values of such a property. */
export const getFixedLabels = (property: FixedProperty): Readonly<Record<string, string>> =>
  ({
    priority: projectViewMessages.priorities,
    repeat: projectViewMessages.repeats,
    blocked: projectViewMessages.yesNo,
  })[property]

const NONE: readonly string[] = ['none']
const orNone = (ids: readonly string[]): readonly string[] => (ids.length > 0 ? ids : NONE)

/** The properties by which a list can be filtered and grouped, in display order. */
export const FILTER_PROPERTIES = [
  { id: 'status', param: 'status', keysOf: ({ status }) => [status] },
  {
    id: 'assignee',
    param: 'assignee_id',
    keysOf: ({ assignee_ids }) => orNone(assignee_ids),
  },
  {
    id: 'priority',
    param: 'priority',
    values: PRIORITY_VALUES,
    keysOf: ({ priority }) => [priority],
  },
  { id: 'tag', param: 'tag_id', keysOf: ({ tag_ids }) => orNone(tag_ids) },
  {
    id: 'due',
    range: {
      type: 'day',
      getValue: ({ due_date }) => due_date,
      api: { after: 'due_after', before: 'due_before' },
    },
  },
  { id: 'start', range: { type: 'day', getValue: ({ start_date }) => start_date } },
  {
    id: 'repeat',
    values: [...REPETITIONS, 'none'],
    keysOf: (task) => [getRepetition(task) ?? 'none'],
    getSortValue(task) {
      const repetition = getRepetition(task)
      return repetition ? REPETITIONS.indexOf(repetition) : null
    },
  },
  { id: 'blocked', values: YES_NO, keysOf: (task) => [isTaskBlocked(task) ? 'yes' : 'no'] },
  {
    id: 'estimate',
    range: { type: 'duration', getValue: ({ estimate_seconds }) => estimate_seconds },
  },
  {
    id: 'spent',
    range: {
      type: 'duration',
      getValue: ({ time_spent_seconds: seconds }) => (seconds === 0 ? null : seconds),
    },
  },
  {
    id: 'parent',
    param: 'parent_id',
    keysOf: ({ parent_id }) => (parent_id === null ? NONE : [parent_id]),
  },
  { id: 'project', param: 'project_id', keysOf: ({ project_id }) => [project_id] },
  { id: 'creator', param: 'created_by_id', keysOf: ({ created_by_id }) => [created_by_id] },
  {
    id: 'created',
    range: {
      type: 'age',
      getValue: ({ created_at }) => created_at,
      api: { after: 'created_after', before: 'created_before' },
    },
  },
  {
    id: 'updated',
    range: {
      type: 'age',
      getValue: ({ updated_at }) => updated_at,
      // The API cannot ask for what has not changed since.
      api: { after: 'updated_since' },
    },
  },
  {
    id: 'completed',
    range: {
      type: 'age',
      getValue: ({ completed_at }) => completed_at,
      api: { after: 'completed_after', before: 'completed_before' },
    },
  },
] as const satisfies readonly FilterRules[]

type FilterDefinition = (typeof FILTER_PROPERTIES)[number]
export type FilterProperty = FilterDefinition['id'] | CustomProperty
export type SetProperty = Extract<FilterDefinition, { keysOf: unknown }>['id'] | CustomProperty
/** The properties whose values are the same everywhere. */
export type FixedProperty = Extract<FilterDefinition, { values: unknown }>['id']
export type RangeProperty = Extract<FilterDefinition, { range: unknown }>['id']

export const getFilterRules = (property: string): FilterRules | undefined =>
  isCustomProperty(property)
    ? createCustomRules(property)
    : FILTER_PROPERTIES.find(({ id }) => id === property)

/** The properties by which a list can be filtered and grouped, those of custom fields at the end. */
export const listFilterProperties = (fields: readonly string[]): FilterProperty[] => [
  ...FILTER_PROPERTIES.map(({ id }) => id),
  ...fields.map(toCustomProperty),
]

const createCustomRules = (id: CustomProperty): FilterRules => ({
  id,
  keysOf: (task) => orNone(listFieldTexts(id, task)),
  getSortValue(task) {
    const [text] = listFieldTexts(id, task)
    return text === undefined ? null : toFieldRank(text)
  },
})

/** A text of a custom field as a text that sorts as its value: numbers first, and by their amount. */
export function toFieldRank(text: string): string {
  const amount = Number(text)
  if (text.trim() === '' || !Number.isFinite(amount)) return `1${foldCase(text)}`
  // The bits of a positive number are in its order, those of a negative one in the reverse order.
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setFloat64(0, amount)
  const bits = bytes.getBigUint64(0)
  const ordered = amount < 0 ? BigInt.asUintN(64, ~bits) : bits | (1n << 63n)
  return `0${ordered.toString(16).padStart(16, '0')}`
}

export const isSetProperty = (property: string): property is SetProperty =>
  getFilterRules(property)?.keysOf !== undefined

export const isFixedProperty = (property: string): property is FixedProperty =>
  getFilterRules(property)?.values !== undefined

export const isRangeProperty = (property: string): property is RangeProperty =>
  getFilterRules(property)?.range !== undefined

/** The properties that can form the lanes of a board, except that of its columns. */
export const VIEW_LANES = ['none', 'assignee', 'priority'] as const

/** The kind of values of a range property. */
export const getRangeType = (property: RangeProperty): RangeRules['type'] =>
  getFilterRules(property)?.range?.type ?? 'day'

/**
 * The sort keys of a view. Those that the API has are named as there; the others are properties, whose
 * order the page finds from their values, or from the names of what they refer to.
 */
export const VIEW_SORTS = [
  'position',
  'priority',
  'due_date',
  'created_at',
  'updated_at',
  'title',
  'number',
  'status',
  'assignee',
  'tag',
  'project',
  'start',
  'repeat',
  'estimate',
  'spent',
  'completed',
] as const
export type SortBy = (typeof VIEW_SORTS)[number] | CustomProperty

/** The sort keys to choose from, those of custom fields at the end. */
export const listSorts = (fields: readonly string[]): SortBy[] => [
  ...VIEW_SORTS,
  ...fields.map(toCustomProperty),
]

export const isSort = (text: string): text is SortBy =>
  isCustomProperty(text) || VIEW_SORTS.some((one) => one === text)

/** The sort keys of the API whose names are not those of their properties. */
const SORT_PROPERTIES = {
  due_date: 'due',
  created_at: 'created',
  updated_at: 'updated',
  number: 'no',
} as const

const isRenamed = (sort: SortBy): sort is keyof typeof SORT_PROPERTIES => sort in SORT_PROPERTIES

/** The property whose name a sort key has. */
export const getSortProperty = (sort: SortBy) => (isRenamed(sort) ? SORT_PROPERTIES[sort] : sort)

/** A sort key and its direction. */
interface SortOrder {
  sort: SortBy
  descending: boolean
}

/** Sort keys that are descending by default. */
const DESCENDING_BY_DEFAULT: readonly SortBy[] = [
  'priority',
  'created_at',
  'updated_at',
  'estimate',
  'spent',
  'completed',
]

/** A sort key with its default direction. */
export const initialOrder = (sort: SortBy): SortOrder => ({
  sort,
  descending: DESCENDING_BY_DEFAULT.includes(sort),
})

export const formatSort = ({ sort, descending }: SortOrder): string =>
  descending ? `-${sort}` : sort
