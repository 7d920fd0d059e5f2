import { EVENT_KINDS, type EventKind } from '#wire/event-kinds.ts'
import { RECORD_TYPES, type RecordType } from '#wire/scopes.ts'
import { archivedActivity } from './activity/noun.ts'
import { archivedApplications } from './applications/noun.ts'
import { archivedAttachments, attachmentRecord } from './attachments/noun.ts'
import { archivedAudit } from './audit/noun.ts'
import { archivedComments, commentRecord } from './comments/noun.ts'
import { EventEnvelope, WebhookTestEvent } from './events/contract.ts'
import { archivedEvents } from './events/noun.ts'
import { archivedMembers, memberRecord } from './members/noun.ts'
import type { AnyRecordDefinition, RecordDefinition } from './noun.ts'
import { archivedProjects, projectRecord } from './projects/noun.ts'
import { archivedTags, tagRecord } from './tags/noun.ts'
import { archivedTasks, taskRecord } from './tasks/noun.ts'
import { archivedTemplates } from './templates/noun.ts'
import { archivedTimeEntries, timeEntryRecord } from './time-entries/noun.ts'
import { archivedViews } from './web-app/views/noun.ts'
import { archivedWebhooks } from './webhooks/noun.ts'

/** The types of record with events and a place in the feed of changes. */
const RECORDS: { readonly [T in RecordType]: RecordDefinition<T> } = {
  member: memberRecord,
  project: projectRecord,
  tag: tagRecord,
  task: taskRecord,
  comment: commentRecord,
  time_entry: timeEntryRecord,
  attachment: attachmentRecord,
}

export const recordOf = (type: RecordType): AnyRecordDefinition => RECORDS[type]

/** The types of record, those that others belong to first. */
export const RANKED_TYPES = RECORD_TYPES.toSorted((a, b) => RECORDS[a].rank - RECORDS[b].rank)

/** The parts of an archive after `workspace`, in order. Each refers only to parts before it. */
export const ARCHIVED_PARTS = {
  members: archivedMembers,
  projects: archivedProjects,
  tags: archivedTags,
  views: archivedViews,
  templates: archivedTemplates,
  tasks: archivedTasks,
  comments: archivedComments,
  time_entries: archivedTimeEntries,
  activity: archivedActivity,
  events: archivedEvents,
  audit: archivedAudit,
  webhooks: archivedWebhooks,
  applications: archivedApplications,
  attachments: archivedAttachments,
} as const

/** The record in `data` of an event, and when it is sent. */
function eventSchemaOf(kind: EventKind) {
  const [type, verb] = kind.split('.') as [RecordType, string]
  const { schema, events } = recordOf(type)
  return [schema, events[verb] ?? ''] as const
}

/** What events contain, by kind. */
export const EVENT_SCHEMAS = {
  envelope: EventEnvelope,
  test: WebhookTestEvent,
  kinds: Object.fromEntries(EVENT_KINDS.map((kind) => [kind, eventSchemaOf(kind)])) as Record<
    EventKind,
    ReturnType<typeof eventSchemaOf>
  >,
}
