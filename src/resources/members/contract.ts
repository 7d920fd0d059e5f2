import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  Line,
  ListQuery,
  Nullable,
  OneOf,
  OneOrMore,
  Optional,
  PageOf,
  Search,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

export const ROLES = ['owner', 'admin', 'member', 'guest'] as const

/** A person as a member of the workspace (contract 6.6). */
export type Member = Static<typeof Member>
export const Member = Type.Object(
  {
    id: Id('usr'),
    name: Line(1, 100),
    email: Nullable(Type.String(), { description: 'Null where a guest looks at somebody else.' }),
    avatar_url: Nullable(Type.String()),
    role: OneOf(ROLES),
    status: OneOf(['active', 'removed']),
    timezone: Type.String({ examples: ['Europe/Zurich'] }),
    locale: Type.String({ description: 'A BCP 47 language tag.', examples: ['en'] }),
    joined_at: Timestamp(),
    last_active_at: Nullable(Timestamp(), { description: 'At most five minutes behind.' }),
  },
  { title: 'Member', additionalProperties: false },
)

export const listMembers = endpoint({
  method: 'GET',
  path: '/api/v1/workspace/members',
  scope: 'members:read',
  limit: 'workspace',
  tag: 'Members',
  summary: 'List the members of the workspace',
  description: 'Who was removed is listed with `status=removed` or `status=all`.',
  query: ListQuery(['joined_at', 'name'], {
    role: OneOrMore(OneOf(ROLES)),
    status: Optional(OneOf(['active', 'removed', 'all'], { default: 'active' })),
    q: Search,
  }),
  reply: PageOf(Member),
})
