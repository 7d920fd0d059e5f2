import { Type } from 'typebox'
import { defineArchivePart, PositiveInteger } from '#resources/noun.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import {
  Id,
  Nullable,
  Pattern,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

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

export const archivedEvents = defineArchivePart({
  line: StrictObject({
    subject_id: Pattern('^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$', 'an id, such as tsk_01h…'),
    former_project_id: Nullable(Id('prj')),
    event: Envelope,
  }),
  table: 'events',
  key: ['sequence'],
  renamed: { event: 'payload' },
  json: ['event'],
  projects: ['former_project_id', 'event.project_id'],
})
