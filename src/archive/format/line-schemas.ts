import { Type } from 'typebox'
import { AuditEntry } from '#resources/audit/internal.ts'
import { Comment } from '#resources/comments/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { Project, ProjectPrefix } from '#resources/projects/contract.ts'
import { Tag } from '#resources/tags/contract.ts'
import { ARCHIVED_FIELDS, pickFields, Task } from '#resources/tasks/fields.ts'
import { Template } from '#resources/templates/internal.ts'
import { TimeEntry } from '#resources/time-entries/contract.ts'
import { View } from '#resources/web-app/views/internal.ts'
import { Webhook } from '#resources/webhooks/contract.ts'
import { ACTIVITY_KINDS } from '#wire/activity-kinds.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { Filename } from '#wire/file-schemas.ts'
import { RecordSource } from '#wire/record-fields.ts'
import {
  EmailAddress,
  Id,
  Integer,
  List,
  MultilineText,
  Nullable,
  Pattern,
  Sha256,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'

/*
 * The schema of a line of each part of an archive. Fields are written in this order. Values that
 * can be derived from other lines (counts, short ids, search words, the tasks that a task blocks)
 * are left out.
 */

const NullableTimestamp = Nullable(Timestamp())
const Count = Integer(0, Number.MAX_SAFE_INTEGER)
const PositiveInteger = Integer(1, Number.MAX_SAFE_INTEGER)
const UserId = Id('usr')
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const CREATION_FIELDS = { created_by_id: UserId, created_at: Timestamp(), updated_at: Timestamp() }

const Workspace = StrictObject({
  id: Id('wsp'),
  name: SingleLineText(1, 100),
  plan: StringEnum(['free', 'paid']),
  timezone: Timezone(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  last_sequence: Count,
  log_from_sequence: PositiveInteger,
})

const { avatar_url, timezone, locale, role } = Member.properties
const MemberLine = StrictObject({
  id: UserId,
  email: EmailAddress(),
  name: SingleLineText(1, 100),
  avatar_url,
  timezone,
  locale,
  role,
  joined_at: Timestamp(),
  removed_at: NullableTimestamp,
  last_active_at: NullableTimestamp,
})

const project = Project.properties
const ProjectLine = StrictObject({
  id: Id('prj'),
  name: project.name,
  prefix: project.prefix,
  former_prefixes: List(ProjectPrefix()),
  description: project.description,
  color: project.color,
  icon: project.icon,
  archived_at: NullableTimestamp,
  lead_id: project.lead_id,
  visibility: project.visibility,
  start_date: project.start_date,
  target_date: project.target_date,
  statuses: project.statuses,
  last_number: Count,
  people_ids: List(UserId),
  ...CREATION_FIELDS,
})

const TagLine = StrictObject({
  id: Id('tag'),
  project_id: Id('prj'),
  name: Tag.properties.name,
  color: Tag.properties.color,
  ...CREATION_FIELDS,
})

/** `only_for` is empty for a shared view. `pinned_by` has the position that each person gave it. */
const ViewLine = StrictObject({
  id: Id('viw'),
  project_id: Id('prj'),
  name: View.properties.name,
  view: View.properties.view,
  filter: View.properties.f,
  sort: View.properties.sort,
  grouping: View.properties.group,
  lanes: View.properties.lanes,
  only_for: Pattern('^(usr_[0-9a-hjkmnp-tv-z]{26})?$', 'a user id or empty'),
  pinned_by: List(StrictObject({ user_id: UserId, position: Count })),
  ...CREATION_FIELDS,
})

const TemplateLine = StrictObject({
  id: Id('tpl'),
  project_id: Id('prj'),
  name: Template.properties.name,
  tasks: Template.properties.tasks,
  ...CREATION_FIELDS,
})

const TaskLine = StrictObject({
  ...pickFields(Task.properties, ARCHIVED_FIELDS),
  former_numbers: List(StrictObject({ project_id: Id('prj'), number: PositiveInteger })),
  position: Pattern('^[0-9A-Za-z]{1,250}$', 'a rank of 1 to 250 letters and digits'),
  ...CREATION_FIELDS,
  deleted_by_operation_id: Nullable(Id('opr')),
})

const comment = Comment.properties
const CommentLine = StrictObject({
  id: Id('cmt'),
  task_id: Id('tsk'),
  author_id: UserId,
  body: comment.body,
  parent_id: comment.parent_id,
  mentions: comment.mentions,
  source: RecordSource,
  edited_at: NullableTimestamp,
  created_at: Timestamp(),
  updated_at: Timestamp(),
})

const entry = TimeEntry.properties
const TimeEntryLine = StrictObject({
  id: Id('tme'),
  task_id: Id('tsk'),
  user_id: UserId,
  started_at: NullableTimestamp,
  ended_at: NullableTimestamp,
  duration_seconds: entry.duration_seconds,
  spent_on: entry.spent_on,
  note: entry.note,
  billable: entry.billable,
  source: RecordSource,
  ...CREATION_FIELDS,
})

const ActivityLine = StrictObject({
  id: Id('act'),
  task_id: Id('tsk'),
  kind: StringEnum(ACTIVITY_KINDS),
  changes: AnyObject,
  actor_type: StringEnum(['user', 'api_key', 'app', 'system']),
  actor_id: Nullable(UserId),
  credential_name: Nullable(SingleLineText(0, 200)),
  created_at: Timestamp(),
})

/** The payload as it was sent to webhooks. */
const Envelope = StrictObject({
  id: Id('evt'),
  type: StringEnum(EVENT_KINDS),
  timestamp: Timestamp(),
  workspace_id: Id('wsp'),
  project_id: Nullable(Id('prj')),
  sequence: PositiveInteger,
  operation_id: Id('opr'),
  api_version: StringEnum(['v1']),
  actor: AnyObject,
  data: AnyObject,
  changes: AnyObject,
})
const EventLine = StrictObject({
  subject_id: Pattern('^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$', 'an id, such as tsk_01h…'),
  former_project_id: Nullable(Id('prj')),
  event: Envelope,
})

const { subject_name: _, ...auditFields } = AuditEntry.properties
/** `details` has no address of a client. */
const AuditLine = StrictObject({ ...auditFields, details: AnyObject })

const { url, description, events, project_ids } = Webhook.properties
const WebhookLine = StrictObject({
  id: Id('whk'),
  url,
  description,
  events,
  project_ids,
  ...CREATION_FIELDS,
})

const ApplicationLine = StrictObject({
  id: Id('app'),
  name: SingleLineText(1, 100),
  description: Nullable(MultilineText(0, 2_000)),
  homepage_url: Nullable(SingleLineText(0, 2_048)),
  type: StringEnum(['confidential', 'public']),
  distribution: StringEnum(['private', 'public']),
  redirect_uris: List(SingleLineText(1, 2_048)),
  scopes: List(StringEnum(SCOPES)),
  ...CREATION_FIELDS,
})

/** `file` is `lost` if the bytes could not be read when the archive was made. */
const AttachmentLine = StrictObject({
  id: Id('att'),
  task_id: Id('tsk'),
  filename: Filename,
  content_type: Type.String({ maxLength: 65_536 }),
  size_bytes: PositiveInteger,
  sha256: Sha256(),
  file: StringEnum(['here', 'lost']),
  created_by_id: UserId,
  created_at: Timestamp(),
})

/** The parts of an archive in order. Each refers only to parts before it. The first format had no `audit`. */
export const LINE_SCHEMAS = {
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
  audit: AuditLine,
  webhooks: WebhookLine,
  applications: ApplicationLine,
  attachments: AttachmentLine,
} as const

export type ArchivePart = keyof typeof LINE_SCHEMAS
export const ARCHIVE_PARTS = Object.keys(LINE_SCHEMAS) as ArchivePart[]

/** The type of a line, by part. */
export type ArchiveLines = { [P in ArchivePart]: Static<(typeof LINE_SCHEMAS)[P]> }

/** Serializes a line with its fields in the order of the schema and no white space. */
export function serializeLine<P extends ArchivePart>(part: P, line: ArchiveLines[P]): string {
  const values = new Map<string, unknown>(Object.entries(line))
  const fields = Object.keys(LINE_SCHEMAS[part].properties).map((name) => [name, values.get(name)])
  return JSON.stringify(Object.fromEntries(fields))
}
