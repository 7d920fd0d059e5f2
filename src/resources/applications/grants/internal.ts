import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  Nullable,
  PageOf,
  PagingQuery,
  RequestBody,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'
import { SupervisionChanges, SupervisionFields } from '#wire/supervision.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Grants' } as const

/** The permission that the user has given an application in the workspace (docs/spec/api.md#internal-resources). */
export type Grant = Static<typeof Grant>
export const Grant = Type.Object(
  {
    id: Id('grt'),
    application: StrictObject({ id: Id('app'), name: Type.String() }),
    scopes: UniqueList(StringEnum(SCOPES), SCOPES.length),
    ...SupervisionFields,
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

export const updateGrant = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/grants/:id',
  grantsLastingAccess: false,
  summary: 'Change how an authorized application is supervised, pause or resume it',
  params: StrictObject({ id: Id('grt') }),
  body: RequestBody(SupervisionChanges, Grant),
  reply: Grant,
})

export const deleteGrant = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/grants/:id',
  grantsLastingAccess: false,
  summary: 'Revoke an authorized application and its tokens',
  params: StrictObject({ id: Id('grt') }),
})
