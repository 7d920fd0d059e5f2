import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  Nullable,
  PageOf,
  PagingQuery,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Grants' } as const

/** The permission that the user has given an application in the workspace (docs/spec/api.md#internal-resources). */
export type Grant = Static<typeof Grant>
export const Grant = Type.Object(
  {
    id: Id('grt'),
    application: StrictObject({ id: Id('app'), name: Type.String() }),
    scopes: UniqueList(StringEnum(SCOPES), SCOPES.length),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
  },
  { title: 'Grant', additionalProperties: false },
)

export const listGrants = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/grants',
  summary: 'List authorized applications',
  query: PagingQuery,
  reply: PageOf(Grant),
})

export const deleteGrant = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/grants/:id',
  grantsLastingAccess: false,
  summary: 'Revoke an authorized application and its tokens',
  params: StrictObject({ id: Id('grt') }),
})
