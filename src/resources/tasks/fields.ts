import { Type } from 'typebox'
import { STATUS_CATEGORIES, STATUS_KEY } from '#resources/projects/contract.ts'
import {
  Day,
  Fields,
  Id,
  Line,
  Nullable,
  OneOf,
  Optional,
  Pattern,
  Reference,
  SetOf,
  type Static,
  Text,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const
const SHORT_ID = '^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$'

export const MOST_ASSIGNEES = 20
export const MOST_TAGS = 50
export const MOST_BLOCKERS = 50
export const MOST_BLOCKED = 500
export const MOST_MEMBERS = 50

const Count = Whole(0, Number.MAX_SAFE_INTEGER)
const { MAX_SAFE_INTEGER } = Number

/** A recurrence rule and what it counts from (contract 6.2). */
const Recurrence = Fields({
  rrule: Type.String({
    format: 'rrule',
    maxLength: 200,
    description: 'An RFC 5545 RRULE in capitals.',
  }),
  basis: OneOf(['due_date', 'completion'], { default: 'due_date' }),
})

type CustomValue = string | number | boolean | string[]

/** Fields of the workspace's own: shown to people. In a PATCH a member set to null is removed. */
export const CustomFields = Type.Unsafe<Record<string, CustomValue>>({
  type: 'object',
  propertyNames: { pattern: '^[a-z][a-z0-9_]{0,39}$' },
  maxProperties: MOST_MEMBERS,
  additionalProperties: Type.Union([
    Text(0, 1_000),
    Type.Number({ minimum: -MAX_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER }),
    Type.Boolean(),
    Type.Array(Text(0, 200), { maxItems: 20 }),
  ]),
})

/** For programs only. In a PATCH a member set to null is removed. */
const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { pattern: '^[A-Za-z0-9_.:-]{1,40}$' },
  maxProperties: MOST_MEMBERS,
  additionalProperties: Text(0, 500),
})

export type Task = Static<typeof Task>
export const Task = Type.Object(
  {
    id: Id('tsk'),
    project_id: Id('prj'),
    number: Whole(1, MAX_SAFE_INTEGER),
    short_id: Pattern(SHORT_ID),
    url: Type.String({ description: 'Its page in the web app.' }),
    title: Line(1, 500),
    description: Nullable(Text(0, 65_536, { description: 'Markdown.' })),
    status: Pattern(STATUS_KEY, { description: 'Key of a status of the project.' }),
    status_category: OneOf(STATUS_CATEGORIES),
    completed_at: Nullable(Timestamp()),
    completed_by_id: Nullable(Id('usr')),
    canceled_at: Nullable(Timestamp()),
    priority: OneOf(PRIORITIES, { default: 'none' }),
    assignee_ids: SetOf(Id('usr'), MOST_ASSIGNEES),
    tag_ids: SetOf(Id('tag'), MOST_TAGS),
    start_date: Nullable(Day()),
    due_date: Nullable(Day()),
    due_at: Nullable(
      Timestamp({ description: 'Falls on `due_date` in the zone of the workspace.' }),
    ),
    parent_id: Nullable(Id('tsk')),
    position: Type.String({
      maxLength: 250,
      description: 'Rank in the project, compared bytewise.',
    }),
    estimate_seconds: Nullable(Whole(0, 31_536_000)),
    time_spent_seconds: Count,
    blocked_by_ids: SetOf(Id('tsk'), MOST_BLOCKED),
    blocking_ids: SetOf(Id('tsk'), MOST_BLOCKED),
    recurrence: Nullable(Recurrence),
    recurred_from_id: Nullable(Id('tsk')),
    custom_fields: CustomFields,
    external_source: Nullable(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$', maxLength: 100 })),
    external_id: Nullable(Line(1, 255)),
    metadata: Metadata,
    comment_count: Count,
    attachment_count: Count,
    subtask_count: Count,
    completed_subtask_count: Count,
    version: Whole(1, MAX_SAFE_INTEGER, {
      description: 'One more with each change of its own fields.',
    }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp({ description: 'Moves exactly with `version`.' }),
    deleted_at: Nullable(Timestamp()),
  },
  { title: 'Task', additionalProperties: false },
)

const of = Task.properties

/** What both creating and updating take; all optional, for an absent field stays as it is. */
const BOTH = {
  description: Optional(of.description),
  status: Optional(Pattern(STATUS_KEY, { 'x-fault': 'invalid_value' })),
  priority: Optional(of.priority),
  assignee_ids: Optional(SetOf(Reference('usr'), MOST_ASSIGNEES)),
  tag_ids: Optional(SetOf(Reference('tag'), MOST_TAGS)),
  start_date: Optional(of.start_date),
  due_date: Optional(of.due_date),
  due_at: Optional(of.due_at),
  parent_id: Optional(Nullable(Reference('tsk'))),
  before_id: Optional(Reference('tsk', { description: 'Place it immediately before this task.' })),
  after_id: Optional(Reference('tsk', { description: 'Place it immediately after this task.' })),
  estimate_seconds: Optional(of.estimate_seconds),
  blocked_by_ids: Optional(SetOf(Reference('tsk'), MOST_BLOCKERS)),
  recurrence: Optional(
    Nullable(
      Fields({
        rrule: Recurrence.properties.rrule,
        basis: Optional(Recurrence.properties.basis),
      }),
    ),
  ),
  custom_fields: Optional(CustomFields),
  external_source: Optional(of.external_source),
  external_id: Optional(of.external_id),
  metadata: Optional(Metadata),
}

export const NEW_TASK = { project_id: Reference('prj'), title: of.title, ...BOTH }

export const TASK_CHANGES = {
  project_id: Optional(Reference('prj', { description: 'Moves it to another project.' })),
  title: Optional(of.title),
  ...BOTH,
  add_assignee_ids: Optional(SetOf(Reference('usr'), MOST_ASSIGNEES)),
  remove_assignee_ids: Optional(SetOf(Reference('usr'), 200)),
  add_tag_ids: Optional(SetOf(Reference('tag'), MOST_TAGS)),
  remove_tag_ids: Optional(SetOf(Reference('tag'), 200)),
}

/** Fields that exclude one another, in every body and in that of a change. */
export const APART = [['before_id', 'after_id']] as const
export const APART_IN_CHANGES = [
  ...APART,
  ['assignee_ids', 'add_assignee_ids'],
  ['assignee_ids', 'remove_assignee_ids'],
  ['tag_ids', 'add_tag_ids'],
  ['tag_ids', 'remove_tag_ids'],
] as const
