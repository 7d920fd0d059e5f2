import { StatusKey } from '#resources/projects/contract.ts'
import {
  CalendarDay,
  FieldOf,
  Flag,
  IdReference,
  Nullable,
  Optional,
  type SchemaOptions,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { CustomFieldChanges, MetadataChanges } from './custom-data.ts'
import {
  EstimateSeconds,
  ExternalId,
  ExternalSource,
  MAX_ASSIGNEES,
  MAX_BLOCKERS,
  MAX_TASK_TAGS,
  MarkdownText,
  TaskPriority,
  TitleText,
} from './fields.ts'
import { RecurrenceInput } from './recurrence-schemas.ts'

const MAX_REMOVED = 200

const StatusField = (description: string) =>
  Optional(StatusKey({ 'x-fault': 'invalid_value', description }))
const People = (description: string, maxItems = MAX_ASSIGNEES) =>
  Optional(UniqueList(IdReference('usr'), maxItems, { description }))
const Tags = (description: string, maxItems = MAX_TASK_TAGS) =>
  Optional(UniqueList(IdReference('tag'), maxItems, { description }))
const Blockers = (description: string) =>
  Optional(UniqueList(IdReference('tsk'), MAX_BLOCKERS, { description }))
const OtherTask = (description: string) => Optional(IdReference('tsk', { description }))
const NullableTask = (description: string) =>
  Optional(Nullable(IdReference('tsk'), { description }))
const NullableDay = (description: string) => Optional(Nullable(CalendarDay(), { description }))
const NullableTime = (description: string) => Optional(Nullable(Timestamp(), { description }))
const TITLE_OPTIONS: SchemaOptions = {
  description: 'What is to be done, in one line. White space at both ends is removed.',
}

/** The body of a new task. */
export const NEW_TASK = {
  project_id: IdReference('prj', { description: 'The project in which to create the task.' }),
  title: TitleText(TITLE_OPTIONS),
  description: Optional(
    Nullable(MarkdownText, {
      description: 'Details in Markdown, which are stored exactly as you send them. Default: null.',
    }),
  ),
  status: StatusField(
    'The key of a status of the project; one of category `completed` sets `completed_at`, too. ' +
      'Default: the first status of category `unstarted`, else `backlog`, else `started`.',
  ),
  priority: Optional(
    FieldOf(TaskPriority, 'How urgent the task is. Default: `none`.', { default: 'none' }),
  ),
  assignee_ids: People(
    'The people who work on the task: active members who can see the project. Default: `[]`.',
  ),
  tag_ids: Tags('The tags of the task, from its project. Default: `[]`.'),
  start_date: NullableDay('The day on which work begins, not after `due_date`. Default: null.'),
  due_date: NullableDay('The day on which the task is due. Default: the day of `due_at`, or null.'),
  due_at: NullableTime(
    'The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. ' +
      'If you send both, it must fall on that day. Default: null.',
  ),
  parent_id: NullableTask(
    'The task of the same project of which this is a subtask, at most five levels deep. Default: null.',
  ),
  before_id: OtherTask(
    'Places the task directly before this one of the project. Not together with `after_id`. ' +
      'Default: the end of the project.',
  ),
  after_id: OtherTask(
    'Places the task directly after this one of the project. Not together with `before_id`. ' +
      'Default: the end of the project.',
  ),
  estimate_seconds: Optional(
    Nullable(EstimateSeconds, { description: 'The estimated work in seconds. Default: null.' }),
  ),
  blocked_by_ids: Blockers(
    'Tasks of any project to be done before this one, without cycles. Default: `[]`.',
  ),
  recurrence: Optional(
    Nullable(RecurrenceInput, {
      description: 'How the task repeats when it is completed. Default: null, it does not.',
    }),
  ),
  custom_fields: Optional(
    FieldOf(
      CustomFieldChanges,
      'Your own fields, which the app shows to people; at most 16 KiB as JSON. Default: `{}`.',
    ),
  ),
  external_source: Optional(
    Nullable(ExternalSource, {
      description:
        'The other system that `external_id` comes from. Send both or neither. Default: null.',
    }),
  ),
  external_id: Optional(
    Nullable(ExternalId, {
      description:
        'The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`. Default: null.',
    }),
  ),
  metadata: Optional(
    FieldOf(
      MetadataChanges,
      'Your own texts for programs, which the app does not show; at most 16 KiB as JSON. Default: `{}`.',
    ),
  ),
}

/** The body of an update. All fields are optional, and absent fields stay as they are. */
export const TASK_CHANGES = {
  title: Optional(TitleText(TITLE_OPTIONS)),
  project_id: Optional(
    IdReference('prj', {
      description:
        'Moves the task with its subtasks to another project, where it gets a new `number`. ' +
        'Unless you send them too, status and tags are matched by key and name, and `parent_id` becomes null.',
    }),
  ),
  undo_move: Optional(
    Flag({
      description:
        'True to undo the last move, if it was out of the project that `project_id` names: the task and its ' +
        'subtasks get back the status, tags, assignees, parent and position that it took from them, ' +
        'as far as nobody has changed them since.',
    }),
  ),
  description: Optional(
    Nullable(MarkdownText, {
      description:
        'Details in Markdown, which are stored exactly as you send them. Null removes them.',
    }),
  ),
  status: StatusField(
    'The key of a status of the project; `completed_at`, `completed_by_id` and `canceled_at` follow its category. ' +
      'Entering the category `completed` is the same as completing the task.',
  ),
  undo_completion: Optional(
    Flag({
      description:
        'True to undo the completion of a recurring task, if `status` reopens it: it gets its `recurrence` back, ' +
        'and the next occurrence is deleted, unless somebody has changed it or tracked time on it since, or you may not delete it.',
    }),
  ),
  priority: Optional(FieldOf(TaskPriority, 'How urgent the task is.')),
  assignee_ids: People(
    'Replaces all assignees. New ones must be active members who can see the project.',
  ),
  tag_ids: Tags('Replaces all tags, by tags of the project.'),
  start_date: NullableDay('The day on which work begins, not after `due_date`. Null clears it.'),
  due_date: NullableDay(
    'The day on which the task is due. A new day sets `due_at` to null unless you send both; null clears both.',
  ),
  due_at: NullableTime(
    'The time at which the task is due; sets `due_date` to its day in the time zone of the workspace. ' +
      'Null clears the time and keeps `due_date`.',
  ),
  parent_id: NullableTask(
    'Makes the task a subtask of this one of the same project. Null moves it to the top level.',
  ),
  before_id: OtherTask(
    'Moves the task directly before this one of the project. Not together with `after_id`.',
  ),
  after_id: OtherTask(
    'Moves the task directly after this one of the project. Not together with `before_id`.',
  ),
  estimate_seconds: Optional(
    Nullable(EstimateSeconds, {
      description: 'The estimated work in seconds. Null removes the estimate.',
    }),
  ),
  blocked_by_ids: Blockers(
    'Replaces the tasks to be done before this one. They can be of any project, without cycles.',
  ),
  recurrence: Optional(
    Nullable(RecurrenceInput, {
      description: 'Replaces how the task repeats when it is completed. Null ends the repetition.',
    }),
  ),
  custom_fields: Optional(
    FieldOf(
      CustomFieldChanges,
      'The custom fields to set, by key; null removes one. All together have at most 16 KiB as JSON.',
    ),
  ),
  external_source: Optional(
    Nullable(ExternalSource, {
      description:
        'The other system that `external_id` comes from. Null if `external_id` is null, too.',
    }),
  ),
  external_id: Optional(
    Nullable(ExternalId, {
      description:
        'The id of the task in another system. No other task of the workspace may have the same one from the same `external_source`.',
    }),
  ),
  metadata: Optional(
    FieldOf(
      MetadataChanges,
      'The texts to set, by key; null removes one. All together have at most 16 KiB as JSON.',
    ),
  ),
  add_assignee_ids: People(
    'People to assign; those who are assigned already stay. Not together with `assignee_ids`.',
  ),
  remove_assignee_ids: People(
    'People to unassign; those who are not assigned are ignored. Not together with `assignee_ids`.',
    MAX_REMOVED,
  ),
  add_tag_ids: Tags('Tags to add; those that it has already stay. Not together with `tag_ids`.'),
  remove_tag_ids: Tags(
    'Tags to remove; those that it does not have are ignored. Not together with `tag_ids`.',
    MAX_REMOVED,
  ),
}

/** Fields that exclude one another, in every body and in that of an update. */
export const EXCLUSIVE_FIELDS = [['before_id', 'after_id']] as const
export const EXCLUSIVE_FIELDS_IN_CHANGES = [
  ...EXCLUSIVE_FIELDS,
  ['assignee_ids', 'add_assignee_ids'],
  ['assignee_ids', 'remove_assignee_ids'],
  ['tag_ids', 'add_tag_ids'],
  ['tag_ids', 'remove_tag_ids'],
] as const
