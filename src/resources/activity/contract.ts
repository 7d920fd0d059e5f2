import { Type } from 'typebox'
import { ACTIVITY_KINDS } from '#wire/activity.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Flag,
  Id,
  ListQuery,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

const Change = Fields({
  from: Type.Unknown(),
  to: Type.Unknown(),
  truncated: Optional(Flag({ description: 'A description too long to be shown whole.' })),
})

/** One thing that was done to a task. */
export type Activity = Static<typeof Activity>
export const Activity = Type.Object(
  {
    id: Id('act'),
    at: Timestamp(),
    kind: OneOf(ACTIVITY_KINDS),
    actor: Fields({
      type: OneOf(['user', 'api_key', 'app', 'system']),
      id: Nullable(Id('usr')),
      name: Nullable(Type.String()),
      credential_name: Nullable(Type.String(), {
        description: 'The key or application that did it in the name of the person.',
      }),
    }),
    changes: Type.Unsafe<Record<string, Static<typeof Change>>>({
      type: 'object',
      additionalProperties: Change,
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
  summary: 'List what was done to a task',
  description: 'Its creation first. Kept as long as the task.',
  params: Fields({ id: Type.String() }),
  query: ListQuery(['created_at'], {}),
  reply: PageOf(Activity),
  far: true,
})
