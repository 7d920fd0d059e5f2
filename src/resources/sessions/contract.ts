import { Type } from 'typebox'
import { Workspace } from '#resources/me/contract.ts'
import { Member } from '#resources/members/contract.ts'
import { SIGN_IN_METHODS } from '#wire/audit-actions.ts'
import { endpoint } from '#wire/endpoint.ts'
import { ROLES } from '#wire/rights.ts'
import {
  Flag,
  Id,
  Integer,
  List,
  Nullable,
  PageOf,
  PagingQuery,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

/** How many hours of estimates a person plans for a day. */
export const HoursPerDay = Integer(1, 24)

/**
 * The current session: its user, its workspace, and the other workspaces of the user (
 * docs/spec/api.md#internal-resources).
 */
export type Session = Static<typeof Session>
export const Session = Type.Object(
  {
    id: Id('ses'),
    user: Member,
    hours_per_day: HoursPerDay,
    workspace: Workspace,
    workspaces: List(
      StrictObject({
        id: Id('wsp'),
        name: SingleLineText(1, 100),
        role: StringEnum(ROLES),
        deleted_at: Nullable(Timestamp(), { description: 'Of one that can be restored.' }),
      }),
    ),
    expires_at: Timestamp(),
    created_at: Timestamp(),
  },
  { title: 'Session', additionalProperties: false },
)

/** A session in the list of all sessions of a user. */
export type Device = Static<typeof Device>
export const Device = Type.Object(
  {
    id: Id('ses'),
    current: Flag({ description: 'Whether it is the session that asks.' }),
    user_agent: Type.String({ description: 'The browser, as it called itself when it signed in.' }),
    address: Nullable(Type.String(), {
      description: 'The IP address from which it signed in; null: not recorded.',
    }),
    signed_in_by: Nullable(StringEnum(SIGN_IN_METHODS), {
      description: 'How; null: not recorded.',
    }),
    two_factors: Flag({ description: 'Whether two factors were shown.' }),
    workspace: StrictObject({ id: Id('wsp'), name: SingleLineText(1, 100) }),
    last_used_at: Timestamp({ description: 'At most two minutes behind.' }),
    expires_at: Timestamp(),
    created_at: Timestamp(),
  },
  { title: 'Device', additionalProperties: false },
)

const SESSION = { scope: 'session', limit: 'session', tag: 'Sessions' } as const

export const getSession = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/session',
  summary: 'Get the current session',
  reply: Session,
})

export const listSessions = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/sessions',
  summary: 'List your sessions',
  query: PagingQuery,
  reply: PageOf(Device),
})

export const endSession = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/sessions/:id',
  grantsLastingAccess: false,
  summary: 'End one of your sessions',
  params: StrictObject({ id: Id('ses') }),
})
