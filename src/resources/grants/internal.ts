import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Id,
  Nullable,
  OneOf,
  PageOf,
  PagingOnly,
  SetOf,
  type Static,
  Timestamp,
} from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Grants' } as const

/** What a person allows an application to do in the workspace (contract 6.9). */
export type Grant = Static<typeof Grant>
export const Grant = Type.Object(
  {
    id: Id('grt'),
    application: Fields({ id: Id('app'), name: Type.String() }),
    scopes: SetOf(OneOf(SCOPES), SCOPES.length),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
  },
  { title: 'Grant', additionalProperties: false },
)

export const listGrants = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/grants',
  summary: 'List what the person allows applications in this workspace',
  query: PagingOnly,
  reply: PageOf(Grant),
})

export const deleteGrant = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/grants/:id',
  summary: 'End what an application was allowed, with all its tokens, at once',
  params: Fields({ id: Id('grt') }),
})
