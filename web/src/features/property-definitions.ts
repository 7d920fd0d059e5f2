import type { CreateTaskBody } from '../data/tasks/create-task.ts'
import type { Task, TaskPatch } from '../data/tasks/task-patch.ts'
import { isTaskBlocked } from '../data/tasks/task-store.ts'
import { formatDuration, parseDuration } from '../lib/dates/duration.ts'

interface TaskProperty {
  id: string
  /** The width of its column in the list, rem. */
  width: number
  /** The CSS class of its cells, if it is not the id. */
  className?: string
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
  { id: 'project', width: 9 },
  { id: 'status', width: 8, picker: 'status' },
  { id: 'tags', width: 12.5, picker: 'tags' },
  { id: 'time', width: 8.5, picker: 'estimate' },
  ...VALUES,
  { id: 'due', width: 7.5, className: 'when', picker: 'due' },
  { id: 'priority', width: 2, className: 'prio', picker: 'priority' },
  { id: 'who', width: 4.5, className: 'people', picker: 'assignees' },
  { id: 'created', width: 6.5 },
  { id: 'updated', width: 6.5 },
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

/** How tasks are filtered, grouped and counted by a property. */
interface FilterRules {
  id: string
  /** Whether a list can be grouped by it. */
  isGroup?: true
  /** Of properties with a set of values: those of a task, `none` if it has none. */
  keysOf?: (task: SetFields) => readonly string[]
  /** The parameter of the API that takes such values. */
  param?: string
  /** Of properties that are points in time: the field that holds it. */
  field?: 'due_date' | 'created_at' | 'updated_at' | 'completed_at'
}
type SetFields = Pick<
  Task,
  | 'status_category'
  | 'blocked_by_ids'
  | 'status'
  | 'priority'
  | 'assignee_ids'
  | 'tag_ids'
  | 'parent_id'
  | 'project_id'
  | 'created_by_id'
>

const NONE: readonly string[] = ['none']
const orNone = (ids: readonly string[]): readonly string[] => (ids.length > 0 ? ids : NONE)

/** The properties by which a list can be filtered and grouped, in display order. */
export const FILTER_PROPERTIES = [
  { id: 'status', isGroup: true, param: 'status', keysOf: ({ status }) => [status] },
  {
    id: 'assignee',
    isGroup: true,
    param: 'assignee_id',
    keysOf: ({ assignee_ids }) => orNone(assignee_ids),
  },
  { id: 'priority', isGroup: true, param: 'priority', keysOf: ({ priority }) => [priority] },
  { id: 'tag', isGroup: true, param: 'tag_id', keysOf: ({ tag_ids }) => orNone(tag_ids) },
  { id: 'due', isGroup: true, field: 'due_date' },
  {
    id: 'blocked',
    isGroup: true,
    param: 'blocked',
    keysOf: (task) => [isTaskBlocked(task) ? 'yes' : 'no'],
  },
  {
    id: 'parent',
    isGroup: true,
    param: 'parent_id',
    keysOf: ({ parent_id }) => (parent_id === null ? NONE : [parent_id]),
  },
  {
    id: 'project',
    isGroup: true,
    param: 'project_id',
    keysOf: ({ project_id }) => [project_id],
  },
  { id: 'creator', param: 'created_by_id', keysOf: ({ created_by_id }) => [created_by_id] },
  { id: 'created', field: 'created_at' },
  { id: 'updated', field: 'updated_at' },
  { id: 'completed', field: 'completed_at' },
] as const satisfies readonly FilterRules[]

type FilterDefinition = (typeof FILTER_PROPERTIES)[number]
export type FilterProperty = FilterDefinition['id']
export type SetProperty = Extract<FilterDefinition, { keysOf: unknown }>['id']
export type RangeProperty = Extract<FilterDefinition, { field: string }>['id']
export type GroupProperty = Extract<FilterDefinition, { isGroup: true }>['id']

export const getFilterRules = (property: string): FilterRules | undefined =>
  FILTER_PROPERTIES.find(({ id }) => id === property)

export const isSetProperty = (property: string): property is SetProperty =>
  getFilterRules(property)?.keysOf !== undefined

export const isRangeProperty = (property: string): property is RangeProperty =>
  getFilterRules(property)?.field !== undefined

export const VIEW_SORTS = [
  'position',
  'priority',
  'due_date',
  'created_at',
  'updated_at',
  'title',
  'number',
] as const
export type SortBy = (typeof VIEW_SORTS)[number]

/** A sort key and its direction. */
interface SortOrder {
  sort: SortBy
  descending: boolean
}

/** Sort keys that are descending by default. */
const DESCENDING_BY_DEFAULT: readonly SortBy[] = ['priority', 'created_at', 'updated_at']

/** A sort key with its default direction. */
export const initialOrder = (sort: SortBy): SortOrder => ({
  sort,
  descending: DESCENDING_BY_DEFAULT.includes(sort),
})

export const formatSort = ({ sort, descending }: SortOrder): string =>
  descending ? `-${sort}` : sort
