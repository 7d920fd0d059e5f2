import { Type } from 'typebox'
import { Comment } from '#resources/comments/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { PREFIX, Project, STATUS_KEY } from '#resources/projects/contract.ts'
import { Tag } from '#resources/tags/contract.ts'
import { Task } from '#resources/tasks/fields.ts'
import { Template } from '#resources/templates/internal.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'
import { View } from '#resources/views/internal.ts'
import { Webhook } from '#resources/webhooks/contract.ts'
import { ACTIVITY_KINDS } from '#wire/activity.ts'
import { EVENT_KINDS } from '#wire/events.ts'
import { Filename } from '#wire/file.ts'
import {
  Email,
  Fields,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  Optional,
  Pattern,
  type Static,
  Text,
  Timestamp,
  Timezone,
  Whole,
} from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'
import { Source } from '#wire/source.ts'

/*
 * What a line of each part of an archive is: the fields in the order in which they stand there. What
 * follows from other lines (counts, short ids, words, lists of what a task blocks) is in none.
 */

const Moment = Nullable(Timestamp())
const Count = Whole(0, Number.MAX_SAFE_INTEGER)
const Number_ = Whole(1, Number.MAX_SAFE_INTEGER)
const Person = Id('usr')
const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const MADE = { created_by_id: Person, created_at: Timestamp(), updated_at: Timestamp() }

const Workspace = Fields({
  id: Id('wsp'),
  name: Line(1, 100),
  plan: OneOf(['free', 'paid']),
  timezone: Timezone(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  last_sequence: Count,
  log_from_sequence: Number_,
})

const { avatar_url, timezone, locale, role } = Member.properties
const MemberLine = Fields({
  id: Person,
  email: Email(),
  name: Line(1, 100),
  ...{ avatar_url, timezone, locale, role },
  joined_at: Timestamp(),
  removed_at: Moment,
  last_active_at: Moment,
})

const project = Project.properties
const ProjectLine = Fields({
  id: Id('prj'),
  name: project.name,
  prefix: project.prefix,
  former_prefixes: List(Pattern(PREFIX)),
  description: project.description,
  color: project.color,
  icon: project.icon,
  archived_at: Moment,
  lead_id: project.lead_id,
  visibility: project.visibility,
  start_date: project.start_date,
  target_date: project.target_date,
  statuses: project.statuses,
  last_number: Count,
  people_ids: List(Person),
  ...MADE,
})

const TagLine = Fields({
  id: Id('tag'),
  project_id: Id('prj'),
  name: Tag.properties.name,
  color: Tag.properties.color,
  ...MADE,
})

/** `only_for` is empty for a shared one; `pinned_by` has each person's own place for it. */
const ViewLine = Fields({
  id: Id('viw'),
  project_id: Id('prj'),
  name: View.properties.name,
  view: View.properties.view,
  filter: View.properties.f,
  sort: View.properties.sort,
  grouping: View.properties.group,
  // Archives of earlier versions do not say it.
  lanes: Optional(View.properties.lanes),
  only_for: Pattern('^(usr_[0-9a-hjkmnp-tv-z]{26})?$'),
  pinned_by: List(Fields({ user_id: Person, position: Count })),
  ...MADE,
})

const TemplateLine = Fields({
  id: Id('tpl'),
  project_id: Id('prj'),
  name: Template.properties.name,
  tasks: Template.properties.tasks,
  ...MADE,
})

const task = Task.properties
const TaskLine = Fields({
  id: Id('tsk'),
  project_id: Id('prj'),
  number: Number_,
  former_numbers: List(Fields({ project_id: Id('prj'), number: Number_ })),
  title: task.title,
  description: task.description,
  status: Pattern(STATUS_KEY),
  status_category: task.status_category,
  completed_at: Moment,
  completed_by_id: Nullable(Person),
  canceled_at: Moment,
  priority: task.priority,
  assignee_ids: task.assignee_ids,
  tag_ids: task.tag_ids,
  blocked_by_ids: task.blocked_by_ids,
  start_date: task.start_date,
  due_date: task.due_date,
  due_at: task.due_at,
  parent_id: task.parent_id,
  position: Pattern('^[0-9A-Za-z]{1,250}$'),
  estimate_seconds: task.estimate_seconds,
  recurrence: task.recurrence,
  recurred_from_id: task.recurred_from_id,
  custom_fields: task.custom_fields,
  external_source: task.external_source,
  external_id: task.external_id,
  metadata: task.metadata,
  version: task.version,
  ...MADE,
  deleted_at: Moment,
  deleted_by_operation_id: Nullable(Id('opr')),
})

const comment = Comment.properties
const CommentLine = Fields({
  id: Id('cmt'),
  task_id: Id('tsk'),
  author_id: Person,
  body: comment.body,
  parent_id: comment.parent_id,
  mentions: comment.mentions,
  source: Source,
  edited_at: Moment,
  created_at: Timestamp(),
  updated_at: Timestamp(),
})

const entry = TimeEntry.properties
const TimeEntryLine = Fields({
  id: Id('tme'),
  task_id: Id('tsk'),
  user_id: Person,
  started_at: Moment,
  ended_at: Moment,
  duration_seconds: entry.duration_seconds,
  spent_on: entry.spent_on,
  note: entry.note,
  billable: entry.billable,
  source: Source,
  ...MADE,
})

const ActivityLine = Fields({
  id: Id('act'),
  task_id: Id('tsk'),
  kind: OneOf(ACTIVITY_KINDS),
  changes: Anything,
  actor_type: OneOf(['user', 'api_key', 'app', 'system']),
  actor_id: Nullable(Person),
  credential_name: Nullable(Line(0, 200)),
  created_at: Timestamp(),
})

/** As webhooks were sent it. */
const Envelope = Fields({
  id: Id('evt'),
  type: OneOf(EVENT_KINDS),
  timestamp: Timestamp(),
  workspace_id: Id('wsp'),
  project_id: Nullable(Id('prj')),
  sequence: Number_,
  operation_id: Id('opr'),
  api_version: OneOf(['v1']),
  ...{ actor: Anything, data: Anything, changes: Anything },
})
const EventLine = Fields({
  subject_id: Pattern('^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$'),
  former_project_id: Nullable(Id('prj')),
  event: Envelope,
})

const { url, description, events, project_ids } = Webhook.properties
const WebhookLine = Fields({ id: Id('whk'), url, description, events, project_ids, ...MADE })

const ApplicationLine = Fields({
  id: Id('app'),
  name: Line(1, 100),
  description: Nullable(Text(0, 2_000)),
  homepage_url: Nullable(Line(0, 2_048)),
  type: OneOf(['confidential', 'public']),
  distribution: OneOf(['private', 'public']),
  redirect_uris: List(Line(1, 2_048)),
  scopes: List(OneOf(SCOPES)),
  ...MADE,
})

/** `lost`: its bytes could not be read any more when the archive was made. */
const AttachmentLine = Fields({
  id: Id('att'),
  task_id: Id('tsk'),
  filename: Filename,
  content_type: Type.String({ maxLength: 65_536 }),
  size_bytes: Number_,
  sha256: Pattern('^[0-9a-f]{64}$'),
  file: OneOf(['here', 'lost']),
  created_by_id: Person,
  created_at: Timestamp(),
})

/** The parts of an archive, in their order: each leans only on those before it. */
export const LINES = {
  workspace: Workspace,
  members: MemberLine,
  projects: ProjectLine,
  tags: TagLine,
  views: ViewLine,
  templates: TemplateLine,
  tasks: TaskLine,
  comments: CommentLine,
  time_entries: TimeEntryLine,
  activity: ActivityLine,
  events: EventLine,
  webhooks: WebhookLine,
  applications: ApplicationLine,
  attachments: AttachmentLine,
} as const

export type Part = keyof typeof LINES
export const PARTS = Object.keys(LINES) as Part[]
/** Parts that archives of earlier versions do not have. */
export const LATER: ReadonlySet<Part> = new Set(['views', 'templates'])

/** A line by its part. */
export type Lines = { [P in Part]: Static<(typeof LINES)[P]> }

/** The text of a line: its fields in the order of the part, and nothing between. */
export function textOf<P extends Part>(part: P, line: Lines[P]): string {
  const given = new Map<string, unknown>(Object.entries(line))
  const fields = Object.keys(LINES[part].properties).map((name) => [name, given.get(name)])
  return JSON.stringify(Object.fromEntries(fields))
}
