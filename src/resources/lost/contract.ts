import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Id,
  Line,
  List,
  Nullable,
  Optional,
  Pattern,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

const NUMBER = '[1-9][0-9]*$'
const id = Id('tsk')
const short_id = Pattern(`^[A-Z][A-Z0-9]{1,9}-${NUMBER}`)
const title = Line(1, 500)
const common = {
  method: 'GET',
  scope: 'session',
  limit: 'session',
  tag: 'Web app',
} as const

/** A deleted task, as long as it can be restored. */
export type Trashed = Static<typeof Trashed>
export const Trashed = Type.Object(
  {
    id,
    short_id,
    title,
    deleted_at: Timestamp(),
    deleted_by_id: Nullable(Id('usr'), {
      description: 'Null where it was nobody, or is not known.',
    }),
    purged_at: Timestamp({ description: 'Until then it can be restored.' }),
  },
  { title: 'Trashed', additionalProperties: false },
)

export const getTrashed = endpoint({
  ...common,
  path: '/internal/tasks/:id/trash',
  summary: 'Get a deleted task that can be restored',
  params: Fields({ id: Type.String() }),
  reply: Trashed,
})

export const getNear = endpoint({
  ...common,
  path: '/internal/near',
  summary: 'Find tasks whose short ids are like one that there is not',
  query: Fields({ short_id: Optional(Pattern(`^[A-Za-z][A-Za-z0-9]{1,9}-${NUMBER}`)) }),
  reply: Fields({ data: List(Fields({ id, short_id, title }), { maxItems: 5 }) }),
})
