import { Type } from 'typebox'
import { StatusCategory, StatusKey } from '#resources/projects/contract.ts'
import { CREATED_AT, WEB_APP_URL } from '#wire/record-fields.ts'
import {
  CalendarDay,
  FieldOf,
  Id,
  Integer,
  MultilineText,
  Nullable,
  Pattern,
  RecordId,
  type SchemaOptions,
  SingleLineText,
  type Static,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { CustomFields, Metadata } from './custom-data.ts'
import { Recurrence } from './recurrence-schemas.ts'

export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
export const TaskPriority = StringEnum(PRIORITIES, {
  title: 'TaskPriority',
  description: 'From the least to the most urgent: `none`, `low`, `medium`, `high`, `urgent`.',
})

export const MAX_ASSIGNEES = 20
export const MAX_TASK_TAGS = 50
export const MAX_BLOCKERS = 50
export const MAX_BLOCKED_TASKS = 500

const { MAX_SAFE_INTEGER } = Number
const count = (description: string) => Integer(0, MAX_SAFE_INTEGER, { description })

export const TitleText = (rules: SchemaOptions) => SingleLineText(1, 500, rules)
export const MAX_DESCRIPTION_LENGTH = 65_536
export const MarkdownText = MultilineText(0, MAX_DESCRIPTION_LENGTH)
export const MAX_ESTIMATE_SECONDS = 31_536_000
export const EstimateSeconds = Integer(0, MAX_ESTIMATE_SECONDS)
export const ExternalSource = Pattern(
  '^[a-z0-9][a-z0-9._-]*$',
  'lower-case letters, digits, dots, underscores and hyphens, such as git-import',
  { maxLength: 100 },
)
export const MAX_EXTERNAL_ID_LENGTH = 255
export const ExternalId = SingleLineText(1, MAX_EXTERNAL_ID_LENGTH)

export type Task = Static<typeof Task>
export const Task = Type.Object(
  {
    id: RecordId('tsk'),
    project_id: Id('prj', { description: 'The project that contains the task.' }),
    number: Integer(1, MAX_SAFE_INTEGER, {
      description:
        'The number of the task in its project. It changes when the task moves to another one.',
    }),
    short_id: Pattern('^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$', 'a short id, such as ENG-42', {
      description:
        'The prefix of the project and `number`. Earlier short ids still lead to the task.',
    }),
    url: Type.String({ description: WEB_APP_URL }),
    title: TitleText({ description: 'What is to be done, in one line.' }),
    description: Nullable(MarkdownText, {
      description: 'Details in Markdown, exactly as they were sent. Null if there are none.',
    }),
    status: StatusKey({
      description: 'The key of a status of the project. Each project has statuses of its own.',
    }),
    status_category: FieldOf(
      StatusCategory,
      'The category of `status`, which means the same in every project: `completed` is done.',
    ),
    completed_at: Nullable(Timestamp(), {
      description: 'When the task was completed. Null unless `status_category` is `completed`.',
    }),
    completed_by_id: Nullable(Id('usr'), {
      description: 'The person who completed it. Null unless `status_category` is `completed`.',
    }),
    canceled_at: Nullable(Timestamp(), {
      description: 'When the task was canceled. Null unless `status_category` is `canceled`.',
    }),
    priority: FieldOf(TaskPriority, 'How urgent the task is.'),
    assignee_ids: UniqueList(Id('usr'), MAX_ASSIGNEES, {
      description:
        'The people who work on the task, in ascending order. Former members stay assigned.',
    }),
    tag_ids: UniqueList(Id('tag'), MAX_TASK_TAGS, {
      description: 'The tags of the task, in ascending order. They belong to its project.',
    }),
    start_date: Nullable(CalendarDay(), {
      description: 'The day on which work begins, never after `due_date`. Null if there is none.',
    }),
    due_date: Nullable(CalendarDay(), {
      description: 'The day on which the task is due. Null if there is none.',
    }),
    due_at: Nullable(Timestamp(), {
      description:
        'The time at which the task is due, which falls on `due_date` in the time zone of the workspace. ' +
        'Null if only the day counts.',
    }),
    parent_id: Nullable(Id('tsk'), {
      description: 'The task of which this is a subtask. Null at the top level.',
    }),
    position: Type.String({
      maxLength: 250,
      description: 'The rank of the task in its project. Compare it byte by byte to sort tasks.',
    }),
    estimate_seconds: Nullable(EstimateSeconds, {
      description: 'The estimated work in seconds. Null if there is no estimate.',
    }),
    time_spent_seconds: count(
      'The time spent in seconds: the sum of the finished time entries of the task.',
    ),
    blocked_by_ids: UniqueList(Id('tsk'), MAX_BLOCKED_TASKS, {
      description:
        'The tasks to be done before this one, in ascending order. You can complete a blocked task all the same.',
    }),
    blocking_ids: UniqueList(Id('tsk'), MAX_BLOCKED_TASKS, {
      description: 'The tasks that this one blocks: those that have it in `blocked_by_ids`.',
    }),
    recurrence: Nullable(Recurrence, {
      description: 'How the task repeats when it is completed. Null if it does not, or no longer.',
    }),
    recurred_from_id: Nullable(Id('tsk'), {
      description:
        'The completed task of which this is the next occurrence. Null if there is none.',
    }),
    custom_fields: FieldOf(CustomFields, 'Your own fields, which the app shows to people.'),
    external_source: Nullable(ExternalSource, {
      description: 'The other system that `external_id` comes from. Null if there is none.',
    }),
    external_id: Nullable(ExternalId, {
      description: 'The id of the task in another system. Null if there is none.',
    }),
    metadata: FieldOf(Metadata, 'Your own texts for programs, which the app does not show.'),
    comment_count: count('The number of comments, with replies.'),
    attachment_count: count('The number of attachments.'),
    subtask_count: count('The number of direct subtasks, without deleted ones.'),
    completed_subtask_count: count(
      'The number of direct subtasks that are in the category `completed`, without deleted ones.',
    ),
    version: Integer(1, MAX_SAFE_INTEGER, {
      description:
        'Rises by 1 with each change of the fields of the task itself. Counts, sums and `blocking_ids` do not move it.',
    }),
    created_by_id: Id('usr', {
      description: 'The person who created it, or who completed the task from which it recurred.',
    }),
    created_at: CREATED_AT,
    updated_at: Timestamp({
      description:
        'When the fields of the task itself were last changed. Moves exactly with `version`.',
    }),
    deleted_at: Nullable(Timestamp(), {
      description:
        'When the task was deleted. Null except in lists of deleted tasks and in events of type `task.deleted`.',
    }),
  },
  {
    title: 'Task',
    description: 'A task of a project, with a short id such as `ENG-42`.',
    additionalProperties: false,
  },
)
