import { parseDuration } from '#lib/typed-duration.ts'
import type { CreateTaskBody } from '../data/tasks/create-task.ts'
import type { Task, TaskPatch } from '../data/tasks/task-patch.ts'
import { isTaskBlocked } from '../data/tasks/task-store.ts'
import { formatDuration } from '../lib/dates/duration.ts'

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
  { id: 'due', width: 7.5, sort: 'due_date', className: 'when', picker: 'due' },
  { id: 'priority', width: 2, sort: 'priority', className: 'prio', picker: 'priority' },
  { id: 'who', width: 4.5, sort: 'assignee', className: 'people', picker: 'assignees' },
  { id: 'created', width: 6.5, sort: 'created_at' },
  { id: 'updated', width: 6.5, sort: 'updated_at' },
] as const satisfies readonly TaskProperty[]
export type ColumnId = (typeof LIST_COLUMNS)[number]['id']

export const getColumn = (id: ColumnId): TaskProperty | undefined =>
  LIST_COLUMNS.find((one) => one.id === id)

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

/** How tasks are filtered, grouped, sorted and counted by a property. */
interface FilterRules {
  id: string
  /** Of properties with a set of values: those of a task, `none` if it has none. */
  keysOf?: (task: PropertyFields) => readonly string[]
  /** The parameter of the API that takes such values. */
  param?: string
  /** Of what is true of a task or not: its values are `yes` and `no`. The page alone compares it. */
  isTrue?: (task: PropertyFields) => boolean
  /** Of days, points in time and amounts. */
  range?: RangeRules
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
  | 'start_date'
  | 'due_date'
  | 'estimate_seconds'
  | 'time_spent_seconds'
  | 'created_at'
  | 'updated_at'
  | 'completed_at'
>

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
  { id: 'priority', param: 'priority', keysOf: ({ priority }) => [priority] },
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
  { id: 'blocked', isTrue: isTaskBlocked },
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
export type FilterProperty = FilterDefinition['id']
export type SetProperty = Extract<FilterDefinition, { keysOf: unknown } | { isTrue: unknown }>['id']
export const YES_NO = ['yes', 'no'] as const
export type RangeProperty = Extract<FilterDefinition, { range: unknown }>['id']

export const getFilterRules = (property: string): FilterRules | undefined =>
  FILTER_PROPERTIES.find(({ id }) => id === property)

/** A function that returns the values of a task, for a property that has a set of them. */
export function getKeysOf(
  property: string,
): ((task: PropertyFields) => readonly string[]) | undefined {
  const { keysOf, isTrue } = getFilterRules(property) ?? {}
  return isTrue ? (task) => [isTrue(task) ? 'yes' : 'no'] : keysOf
}

export const isSetProperty = (property: string): property is SetProperty =>
  getKeysOf(property) !== undefined

export const isYesNoProperty = (property: string): boolean =>
  getFilterRules(property)?.isTrue !== undefined

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
  'estimate',
  'spent',
  'completed',
] as const
export type SortBy = (typeof VIEW_SORTS)[number]

/** The property whose name a sort key has. */
export const getSortProperty = (sort: SortBy) =>
  (
    ({
      position: 'position',
      priority: 'priority',
      due_date: 'due',
      created_at: 'created',
      updated_at: 'updated',
      title: 'title',
      number: 'no',
      status: 'status',
      assignee: 'assignee',
      tag: 'tag',
      project: 'project',
      start: 'start',
      estimate: 'estimate',
      spent: 'spent',
      completed: 'completed',
    }) as const
  )[sort]

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
