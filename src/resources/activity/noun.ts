import { Type } from 'typebox'
import { defineArchivePart, UserId } from '#resources/noun.ts'
import { ACTIVITY_KINDS } from '#wire/activity-kinds.ts'
import {
  Id,
  Nullable,
  SingleLineText,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

export const archivedActivity = defineArchivePart({
  line: StrictObject({
    id: Id('act'),
    task_id: Id('tsk'),
    kind: StringEnum(ACTIVITY_KINDS),
    changes: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    actor_type: StringEnum(['user', 'api_key', 'app', 'system']),
    actor_id: Nullable(UserId),
    credential_name: Nullable(SingleLineText(0, 200)),
    created_at: Timestamp(),
  }),
  table: 'activity',
  key: ['task_id', 'id'],
  json: ['changes'],
  people: ['actor_id'],
})
