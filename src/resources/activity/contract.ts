import { Type } from 'typebox'
import { ACTIVITY_KINDS } from '#wire/activity-kinds.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const FieldChange = StrictObject({
  from: Type.Unknown(),
  to: Type.Unknown(),
  truncated: Optional(Flag({ description: 'A description too long to be shown whole.' })),
})

/** One entry in the history of a task. */
export type Activity = Static<typeof Activity>
export const Activity = Type.Object(
  {
    id: Id('act'),
    at: Timestamp(),
    kind: StringEnum(ACTIVITY_KINDS),
    actor: StrictObject({
      type: StringEnum(['user', 'api_key', 'app', 'system']),
      id: Nullable(Id('usr')),
      name: Nullable(Type.String()),
      credential_name: Nullable(Type.String(), {
        description: 'The key or application that did it in the name of the person.',
      }),
    }),
    changes: Type.Unsafe<Record<string, Static<typeof FieldChange>>>({
      type: 'object',
      additionalProperties: FieldChange,
    }),
  },
  { title: 'Activity', additionalProperties: false },
)

export const listActivity = endpoint({
  method: 'GET',
  path: '/internal/tasks/:id/activity',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
  summary: 'List the activity of a task',
  description:
    'Its creation first. Kept as long as the task. In a move, the side of a project that you do not see ' +
    'is null in `project_id`, `number`, `short_id`, `status`, `tag_ids`, `parent_id` and `position`.',
  params: StrictObject({ id: Type.String() }),
  query: ListQuery(['created_at'], {}),
  reply: PageOf(Activity),
})
