import { Type } from 'typebox'
import { Workspace } from '#resources/me/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { SIGN_IN_MEANS } from '#wire/audit.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Flag,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  PageOf,
  PagingOnly,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

/** Who is signed in, where, and where else the person could be (contract 6.9). */
export type Session = Static<typeof Session>
export const Session = Type.Object(
  {
    id: Id('ses'),
    user: Member,
    workspace: Workspace,
    workspaces: List(
      Fields({
        id: Id('wsp'),
        name: Line(1, 100),
        role: OneOf(['owner', 'admin', 'member', 'guest']),
        deleted_at: Nullable(Timestamp(), { description: 'Of one that can be restored.' }),
      }),
    ),
    expires_at: Timestamp(),
    created_at: Timestamp(),
  },
  { title: 'Session', additionalProperties: false },
)

/** A session as its person finds it among the others: where somebody is signed in. */
export type Device = Static<typeof Device>
export const Device = Type.Object(
  {
    id: Id('ses'),
    current: Flag({ description: 'Whether it is the session that asks.' }),
    user_agent: Type.String({ description: 'The browser, as it called itself when it signed in.' }),
    signed_in_by: Nullable(OneOf(SIGN_IN_MEANS), { description: 'How; null for older sessions.' }),
    two_factors: Flag({ description: 'Whether two factors were shown.' }),
    workspace: Fields({ id: Id('wsp'), name: Line(1, 100) }),
    last_used_at: Timestamp({ description: 'At most two minutes behind.' }),
    expires_at: Timestamp(),
    created_at: Timestamp(),
  },
  { title: 'Device', additionalProperties: false },
)

const OF_SESSION = { scope: 'session', limit: 'session', tag: 'Sessions' } as const

export const getSession = endpoint({
  ...OF_SESSION,
  method: 'GET',
  path: '/internal/session',
  summary: 'Get the session that asks',
  reply: Session,
})

export const listSessions = endpoint({
  ...OF_SESSION,
  method: 'GET',
  path: '/internal/sessions',
  summary: 'List the sessions of the person',
  query: PagingOnly,
  reply: PageOf(Device),
})

export const endSession = endpoint({
  ...OF_SESSION,
  method: 'DELETE',
  path: '/internal/sessions/:id',
  summary: 'End a session of the person',
  params: Fields({ id: Id('ses') }),
})
