import { type TSchema, Type } from 'typebox'
import { MAX_TITLE_LENGTH } from '#lib/fit-title.ts'
import { StatusCategory, StatusKey } from '#resources/projects/contract.ts'
import { MAX_TASK_TAGS } from '#resources/tags/contract.ts'
import { CREATED_AT, WEB_APP_URL } from '#wire/record-fields.ts'
import {
  CalendarDay,
  FieldOf,
  Id,
  IdReference,
  Integer,
  MultilineText,
  Nullable,
  Optional,
  Pattern,
  RecordId,
  type SchemaOptions,
  SingleLineText,
  type Static,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { CustomFieldChanges, CustomFields, Metadata, MetadataChanges } from './custom-data.ts'
import { Recurrence, RecurrenceInput } from './recurrence-schemas.ts'

export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
export const TaskPriority = StringEnum(PRIORITIES, {
  title: 'TaskPriority',
  description: 'From the least to the most urgent: `none`, `low`, `medium`, `high`, `urgent`.',
})

export const MAX_ASSIGNEES = 20
export const MAX_BLOCKERS = 50
export const MAX_BLOCKED_TASKS = 500
export const MAX_DESCRIPTION_LENGTH = 65_536
export const MAX_ESTIMATE_SECONDS = 31_536_000
export const MAX_EXTERNAL_ID_LENGTH = 255
const MAX_REMOVED = 200
const { MAX_SAFE_INTEGER } = Number

/** What the table says of one field. */
interface TaskFieldRules {
  /** Its schema in a task that the API returns. */
  record?: TSchema
  /** Its schema in the body of a new task, if clients may send it. */
  create?: TSchema
  /** Its schema in the body of an update. */
  change?: TSchema
  /**
   * How the column of the same name holds it (`FieldSource` of src/db/core/dialect.ts). Fields
   * without one are computed (task-json.ts).
   */
  column?: 'plain' | 'word' | 'whole' | 'json'
  /**
   * Fields that clients set. `replaced`: by the value that they send, as it is. `resolved`: by rules
   * of its own (writing/change-task.ts). All other fields follow from these.
   */
  set?: 'replaced' | 'resolved'
  /** What a new task has if the request leaves the field out. */
  fallback?: unknown
  /** What of it goes along: into archives, to the next occurrence of a recurring task, into templates. */
  goes?: readonly ('archive' | 'next' | 'template')[]
}

const ARCHIVE = ['archive'] as const
const ALONG = ['archive', 'next'] as const
const EVERYWHERE = ['archive', 'next', 'template'] as const

const count = (description: string) => ({
  record: Integer(0, MAX_SAFE_INTEGER, { description }),
  column: 'whole' as const,
})
const TitleText = (rules: SchemaOptions) => SingleLineText(1, MAX_TITLE_LENGTH, rules)
const TITLE_INPUT = TitleText({
  description: 'What is to be done, in one line. White space at both ends is removed.',
})
const MarkdownText = MultilineText(0, MAX_DESCRIPTION_LENGTH)
const EstimateSeconds = Integer(0, MAX_ESTIMATE_SECONDS)
/** The other system of a task. */
export const ExternalSource = Pattern(
  '^[a-z0-9][a-z0-9._-]*$',
  'lower-case letters, digits, dots, underscores and hyphens, such as git-import',
  { maxLength: 100 },
)
/** The id of a task in another system. */
export const ExternalId = SingleLineText(1, MAX_EXTERNAL_ID_LENGTH)
const StatusField = (description: string) =>
  Optional(StatusKey({ 'x-fault': 'invalid_value', description }))
const People = (description: string, maxItems = MAX_ASSIGNEES) =>
  Optional(UniqueList(IdReference('usr'), maxItems, { description }))
const Tags = (description: string, maxItems = MAX_TASK_TAGS) =>
  Optional(UniqueList(IdReference('tag'), maxItems, { description }))
const Blockers = (description: string) =>
  Optional(UniqueList(IdReference('tsk'), MAX_BLOCKERS, { description }))
const OtherTask = (description: string) => Optional(IdReference('tsk', { description }))
const OrNull = <S extends TSchema>(schema: S, description: string) =>
  Optional(Nullable(schema, { description }))

/**
 * Every field of a task and of the bodies that write one, in the order in which records and bodies
 * have them. Schemas, columns, JSON, changes, archives and copies follow from this table; what a
 * field needs beside it is in CONTRIBUTING (Add a field to a task).
 */
export const TASK_FIELDS = {
  id: { record: RecordId('tsk'), column: 'word', goes: ARCHIVE },
  project_id: {
    record: Id('prj', { description: 'The project that contains the task.' }),
    create: IdReference('prj', { description: 'The project in which to create the task.' }),
    change: Optional(
      IdReference('prj', {
        description:
          'Moves the task with its subtasks to another project, where it gets a new `number`. ' +
          'Unless you send them too, status and tags are matched by key and name, and `parent_id` becomes null.',
      }),
    ),
    column: 'word',
    goes: ARCHIVE,
  },
  number: {
    record: Integer(1, MAX_SAFE_INTEGER, {
      description:
        'The number of the task in its project. It changes when the task moves to another one.',
    }),
    column: 'whole',
    goes: ARCHIVE,
  },
  short_id: {
    record: Pattern('^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$', 'a short id, such as ENG-42', {
      description:
        'The prefix of the project and `number`. Earlier short ids still lead to the task.',
    }),
  },
  url: { record: Type.String({ description: WEB_APP_URL }) },
  title: {
    record: TitleText({ description: 'What is to be done, in one line.' }),
    create: TITLE_INPUT,
    change: Optional(TITLE_INPUT),
    column: 'plain',
    set: 'replaced',
    goes: EVERYWHERE,
  },
  description: {
    record: Nullable(MarkdownText, {
      description: 'Details in Markdown, exactly as they were sent. Null if there are none.',
    }),
    create: OrNull(
      MarkdownText,
      'Details in Markdown, which are stored exactly as you send them. Default: null.',
    ),
    change: OrNull(
      MarkdownText,
      'Details in Markdown, which are stored exactly as you send them. Null removes them.',
    ),
    column: 'plain',
    set: 'replaced',
    fallback: null,
    goes: EVERYWHERE,
  },
  status: {
    record: StatusKey({
      description: 'The key of a status of the project. Each project has statuses of its own.',
    }),
    create: StatusField(
      'The key of a status of the project; one of category `completed` sets `completed_at`, too. ' +
        'Default: the first status of category `unstarted`, else `backlog`, else `started`.',
    ),
    change: StatusField(
      'The key of a status of the project; `completed_at`, `completed_by_id` and `canceled_at` follow its category. ' +
        'Entering the category `completed` is the same as completing the task.',
    ),
    column: 'word',
    set: 'resolved',
    goes: ARCHIVE,
  },
  status_category: {
    record: FieldOf(
      StatusCategory,
      'The category of `status`, which means the same in every project: `completed` is done.',
    ),
    column: 'word',
    goes: ARCHIVE,
  },
  completed_at: {
    record: Nullable(Timestamp(), {
      description: 'When the task was completed. Null unless `status_category` is `completed`.',
    }),
    column: 'plain',
    goes: ARCHIVE,
  },
  completed_by_id: {
    record: Nullable(Id('usr'), {
      description: 'The person who completed it. Null unless `status_category` is `completed`.',
    }),
    column: 'plain',
    goes: ARCHIVE,
  },
  canceled_at: {
    record: Nullable(Timestamp(), {
      description: 'When the task was canceled. Null unless `status_category` is `canceled`.',
    }),
    column: 'plain',
    goes: ARCHIVE,
  },
  priority: {
    record: FieldOf(TaskPriority, 'How urgent the task is.'),
    create: Optional(
      FieldOf(TaskPriority, 'How urgent the task is. Default: `none`.', { default: 'none' }),
    ),
    change: Optional(FieldOf(TaskPriority, 'How urgent the task is.')),
    column: 'word',
    set: 'replaced',
    fallback: 'none',
    goes: EVERYWHERE,
  },
  assignee_ids: {
    record: UniqueList(Id('usr'), MAX_ASSIGNEES, {
      description:
        'The people who work on the task, in ascending order. Former members stay assigned.',
    }),
    create: People(
      'The people who work on the task: active members who can see the project. Default: `[]`.',
    ),
    change: People(
      'Replaces all assignees. New ones must be active members who can see the project.',
    ),
    column: 'json',
    set: 'resolved',
    fallback: [],
    goes: EVERYWHERE,
  },
  tag_ids: {
    record: UniqueList(Id('tag'), MAX_TASK_TAGS, {
      description: 'The tags of the task, in ascending order. They belong to its project.',
    }),
    create: Tags('The tags of the task, from its project. Default: `[]`.'),
    change: Tags('Replaces all tags, by tags of the project.'),
    column: 'json',
    set: 'resolved',
    fallback: [],
    goes: EVERYWHERE,
  },
  start_date: {
    record: Nullable(CalendarDay(), {
      description: 'The day on which work begins, never after `due_date`. Null if there is none.',
    }),
    create: OrNull(
      CalendarDay(),
      'The day on which work begins, not after `due_date`. Default: null.',
    ),
    change: OrNull(
      CalendarDay(),
      'The day on which work begins, not after `due_date`. Null clears it.',
    ),
    column: 'plain',
    set: 'resolved',
    fallback: null,
    goes: ARCHIVE,
  },
  due_date: {
    record: Nullable(CalendarDay(), {
      description: 'The day on which the task is due. Null if there is none.',
    }),
    create: OrNull(
      CalendarDay(),
      'The day on which the task is due. Default: the day of `due_at`, or null.',
    ),
    change: OrNull(
      CalendarDay(),
      'The day on which the task is due. A new day sets `due_at` to null unless you send both; null clears both.',
    ),
    column: 'plain',
    set: 'resolved',
    fallback: null,
    goes: ARCHIVE,
  },
  due_at: {
    record: Nullable(Timestamp(), {
      description:
        'The time at which the task is due, which falls on `due_date` in the time zone of the workspace. ' +
        'Null if only the day counts.',
    }),
    create: OrNull(
      Timestamp(),
      'The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. ' +
        'If you send both, it must fall on that day. Default: null.',
    ),
    change: OrNull(
      Timestamp(),
      'The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. ' +
        'Null clears the time and keeps `due_date`.',
    ),
    column: 'plain',
    set: 'resolved',
    fallback: null,
    goes: ARCHIVE,
  },
  parent_id: {
    record: Nullable(Id('tsk'), {
      description: 'The task of which this is a subtask. Null at the top level.',
    }),
    create: OrNull(
      IdReference('tsk'),
      'The task of the same project of which this is a subtask, at most five levels deep. Default: null.',
    ),
    change: OrNull(
      IdReference('tsk'),
      'Makes the task a subtask of this one of the same project. Null moves it to the top level.',
    ),
    column: 'plain',
    set: 'resolved',
    fallback: null,
    goes: ALONG,
  },
  before_id: {
    create: OtherTask(
      'Places the task directly before this one of the project. Not together with `after_id`. ' +
        'Default: the end of the project.',
    ),
    change: OtherTask(
      'Moves the task directly before this one of the project. Not together with `after_id`.',
    ),
  },
  after_id: {
    create: OtherTask(
      'Places the task directly after this one of the project. Not together with `before_id`. ' +
        'Default: the end of the project.',
    ),
    change: OtherTask(
      'Moves the task directly after this one of the project. Not together with `before_id`.',
    ),
  },
  position: {
    record: Type.String({
      maxLength: 250,
      description: 'The rank of the task in its project. Compare it byte by byte to sort tasks.',
    }),
    column: 'word',
    goes: ARCHIVE,
  },
  estimate_seconds: {
    record: Nullable(EstimateSeconds, {
      description: 'The estimated work in seconds. Null if there is no estimate.',
    }),
    create: OrNull(EstimateSeconds, 'The estimated work in seconds. Default: null.'),
    change: OrNull(EstimateSeconds, 'The estimated work in seconds. Null removes the estimate.'),
    column: 'plain',
    set: 'replaced',
    fallback: null,
    goes: EVERYWHERE,
  },
  time_spent_seconds: count(
    'The time spent in seconds: the sum of the finished time entries of the task.',
  ),
  blocked_by_ids: {
    record: UniqueList(Id('tsk'), MAX_BLOCKED_TASKS, {
      description:
        'The tasks to be done before this one, in ascending order. You can complete a blocked task all the same.',
    }),
    create: Blockers(
      'Tasks of any project to be done before this one, without cycles. Default: `[]`.',
    ),
    change: Blockers(
      'Replaces the tasks to be done before this one. They can be of any project, without cycles.',
    ),
    column: 'json',
    set: 'resolved',
    fallback: [],
    goes: ARCHIVE,
  },
  blocking_ids: {
    record: UniqueList(Id('tsk'), MAX_BLOCKED_TASKS, {
      description: 'The tasks that this one blocks: those that have it in `blocked_by_ids`.',
    }),
    column: 'json',
  },
  recurrence: {
    record: Nullable(Recurrence, {
      description: 'How the task repeats when it is completed. Null if it does not, or no longer.',
    }),
    create: OrNull(
      RecurrenceInput,
      'How the task repeats when it is completed. Default: null, it does not.',
    ),
    change: OrNull(
      RecurrenceInput,
      'Replaces how the task repeats when it is completed. Null ends the repetition.',
    ),
    column: 'json',
    set: 'resolved',
    fallback: null,
    goes: ARCHIVE,
  },
  recurred_from_id: {
    record: Nullable(Id('tsk'), {
      description:
        'The completed task of which this is the next occurrence. Null if there is none.',
    }),
    column: 'plain',
    goes: ARCHIVE,
  },
  custom_fields: {
    record: FieldOf(CustomFields, 'Your own fields, which the app shows to people.'),
    create: Optional(
      FieldOf(
        CustomFieldChanges,
        'Your own fields, which the app shows to people; at most 16 KiB as JSON. Default: `{}`.',
      ),
    ),
    change: Optional(
      FieldOf(
        CustomFieldChanges,
        'The custom fields to set, by key; null removes one. All together have at most 16 KiB as JSON.',
      ),
    ),
    column: 'json',
    set: 'resolved',
    fallback: {},
    goes: EVERYWHERE,
  },
  external_source: {
    record: Nullable(ExternalSource, {
      description: 'The other system that `external_id` comes from. Null if there is none.',
    }),
    create: OrNull(
      ExternalSource,
      'The other system that `external_id` comes from. Send both or neither. Default: null.',
    ),
    change: OrNull(
      ExternalSource,
      'The other system that `external_id` comes from. Null if `external_id` is null, too.',
    ),
    column: 'plain',
    set: 'replaced',
    fallback: null,
    goes: ARCHIVE,
  },
  external_id: {
    record: Nullable(ExternalId, {
      description: 'The id of the task in another system. Null if there is none.',
    }),
    create: OrNull(
      ExternalId,
      'The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`. Default: null.',
    ),
    change: OrNull(
      ExternalId,
      'The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`.',
    ),
    column: 'plain',
    set: 'replaced',
    fallback: null,
    goes: ARCHIVE,
  },
  metadata: {
    record: FieldOf(Metadata, 'Your own texts for programs, which the app does not show.'),
    create: Optional(
      FieldOf(
        MetadataChanges,
        'Your own texts for programs, which the app does not show; at most 16 KiB as JSON. Default: `{}`.',
      ),
    ),
    change: Optional(
      FieldOf(
        MetadataChanges,
        'The texts to set, by key; null removes one. All together have at most 16 KiB as JSON.',
      ),
    ),
    column: 'json',
    set: 'resolved',
    fallback: {},
    goes: ALONG,
  },
  add_assignee_ids: {
    change: People(
      'People to assign; those who are assigned already stay. Not together with `assignee_ids`.',
    ),
  },
  remove_assignee_ids: {
    change: People(
      'People to unassign; those who are not assigned are ignored. Not together with `assignee_ids`.',
      MAX_REMOVED,
    ),
  },
  add_tag_ids: {
    change: Tags('Tags to add; those that it has already stay. Not together with `tag_ids`.'),
  },
  remove_tag_ids: {
    change: Tags(
      'Tags to remove; those that it does not have are ignored. Not together with `tag_ids`.',
      MAX_REMOVED,
    ),
  },
  comment_count: count('The number of comments, with replies.'),
  attachment_count: count('The number of attachments.'),
  subtask_count: count('The number of direct subtasks, without deleted ones.'),
  completed_subtask_count: count(
    'The number of direct subtasks that are in the category `completed`, without deleted ones.',
  ),
  version: {
    record: Integer(1, MAX_SAFE_INTEGER, {
      description:
        'Rises by 1 with each change of the fields of the task itself. Counts, sums and `blocking_ids` do not move it.',
    }),
    column: 'whole',
    goes: ARCHIVE,
  },
  created_by_id: {
    record: Id('usr', {
      description: 'The person who created it, or who completed the task from which it recurred.',
    }),
    column: 'word',
    goes: ARCHIVE,
  },
  created_at: { record: CREATED_AT, column: 'word', goes: ARCHIVE },
  updated_at: {
    record: Timestamp({
      description:
        'When the fields of the task itself were last changed. Moves exactly with `version`.',
    }),
    column: 'word',
    goes: ARCHIVE,
  },
  deleted_at: {
    record: Nullable(Timestamp(), {
      description:
        'When the task was deleted. Null except in lists of deleted tasks and in events of type `task.deleted`.',
    }),
    column: 'plain',
    goes: ARCHIVE,
  },
} as const satisfies Record<string, TaskFieldRules>

type Fields = typeof TASK_FIELDS
type FieldName = keyof Fields
/** The names of the fields of which the table says this. */
type NamesWith<R extends TaskFieldRules> = {
  [N in FieldName]: Fields[N] extends R ? N : never
}[FieldName]
type SchemaKind = 'record' | 'create' | 'change'
type Schemas<K extends SchemaKind> = {
  [N in NamesWith<Record<K, TSchema>>]: Fields[N] extends Record<K, infer S> ? S : never
}
type GoingTo<G extends 'archive' | 'next' | 'template'> = {
  [N in FieldName]: Fields[N] extends { goes: readonly (infer T)[] }
    ? G extends T
      ? N
      : never
    : never
}[FieldName]

const ENTRIES = Object.entries(TASK_FIELDS) as [FieldName, TaskFieldRules][]

/** The names of the fields whose rules are such. The type argument says the same to the compiler. */
const namesWhere = <N extends FieldName>(isSo: (rules: TaskFieldRules) => boolean) =>
  ENTRIES.flatMap(([name, rules]) => (isSo(rules) ? [name] : [])) as N[]

const schemasOf = <K extends SchemaKind>(kind: K) =>
  Object.fromEntries(
    ENTRIES.flatMap(([name, rules]) => (rules[kind] ? [[name, rules[kind]]] : [])),
  ) as Schemas<K>

/** Fields of a task, by name. */
export function pickFields<T extends object, N extends keyof T>(
  task: T,
  names: readonly N[],
): Pick<T, N> {
  const picked: Partial<Pick<T, N>> = {}
  for (const name of names) picked[name] = task[name]
  return picked as Pick<T, N>
}

export type Task = Static<typeof Task>
export const Task = Type.Object(schemasOf('record'), {
  title: 'Task',
  description: 'A task of a project, with a short id such as `ENG-42`.',
  additionalProperties: false,
})

/** The properties of the body of a new task. */
export const NEW_TASK = schemasOf('create')
/** The properties of the body of an update. All are optional, and absent fields stay as they are. */
export const TASK_CHANGES = schemasOf('change')

/** The fields of a task that clients set. All other fields are derived. */
export type TaskFields = Pick<Task, SetName>

type SetName = NamesWith<{ set: 'replaced' | 'resolved' }>
export const SET_FIELDS = namesWhere<SetName>(({ set }) => set !== undefined)
type ReplacedName = NamesWith<{ set: 'replaced' }>
export const REPLACED_FIELDS = namesWhere<ReplacedName>(({ set }) => set === 'replaced')

/** The fields of a new task that the request leaves out. */
export const DEFAULT_TASK_FIELDS = Object.fromEntries(
  ENTRIES.flatMap(([name, rules]) => ('fallback' in rules ? [[name, rules.fallback]] : [])),
) as Omit<TaskFields, 'title' | 'status'>

/** The fields that are columns, and how the columns hold them. */
export const COLUMN_SOURCES = Object.fromEntries(
  ENTRIES.flatMap(([name, { column }]) => (column ? [[name, column]] : [])),
) as { [N in NamesWith<{ column: 'plain' | 'word' | 'whole' | 'json' }>]: Fields[N]['column'] }

const isGoing = (to: 'archive' | 'next' | 'template') =>
  namesWhere(({ goes }) => goes?.includes(to) === true)
/** The fields that archives have, which all others can be computed from. */
export const ARCHIVED_FIELDS = isGoing('archive') as GoingTo<'archive'>[]
/** The fields that the next occurrence of a recurring task takes over as they are. */
export const FIELDS_OF_NEXT = isGoing('next') as GoingTo<'next'>[]
/** The fields that templates keep as they are. */
export const FIELDS_OF_TEMPLATE = isGoing('template') as GoingTo<'template'>[]

/** Fields that exclude one another, in every body and in that of an update. */
export const EXCLUSIVE_FIELDS = [['before_id', 'after_id']] as const
export const EXCLUSIVE_FIELDS_IN_CHANGES = [
  ...EXCLUSIVE_FIELDS,
  ['assignee_ids', 'add_assignee_ids'],
  ['assignee_ids', 'remove_assignee_ids'],
  ['tag_ids', 'add_tag_ids'],
  ['tag_ids', 'remove_tag_ids'],
] as const
