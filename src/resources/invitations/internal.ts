import { Type } from 'typebox'
import { ROLES } from '#resources/members/contract.ts'
import { Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  Body,
  Email,
  Fields,
  Flag,
  Id,
  Line,
  List,
  Locale,
  OneOf,
  Optional,
  PageOf,
  PagingOnly,
  Reference,
  SetOf,
  type Static,
  Timestamp,
} from '#wire/schema.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Invitations' } as const
const OPEN = { scope: 'open', limit: 'none', tag: 'Invitations' } as const

/** An invitation that waits to be accepted (contract 6.9). */
export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object(
  {
    id: Id('inv'),
    email: Type.String(),
    role: OneOf(ROLES),
    project_ids: List(Id('prj'), { description: 'Whose people lists a guest will join.' }),
    invited_by_id: Id('usr'),
    expires_at: Timestamp(),
    created_at: Timestamp(),
  },
  { title: 'Invitation', additionalProperties: false },
)

export const listInvitations = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/invitations',
  summary: 'List the invitations that were neither accepted nor taken back',
  description: 'Those that have expired stay in the list for 30 days.',
  query: PagingOnly,
  reply: PageOf(Invitation),
})

export const createInvitation = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/invitations',
  summary: 'Invite somebody; an earlier invitation to the same address ends',
  body: Body(
    {
      email: Email(),
      role: OneOf(ROLES),
      project_ids: Optional(SetOf(Reference('prj'), 100)),
    },
    Invitation,
    ['accept_url'],
    [],
    together,
  ),
  reply: Type.Object(
    {
      ...Invitation.properties,
      accept_url: Type.String({
        description: 'The link: shown this once, and mailed if mail is set up.',
      }),
    },
    { additionalProperties: false },
  ),
  status: 201,
  secret: true,
})

export const deleteInvitation = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/invitations/:id',
  summary: 'Take an invitation back',
  params: Fields({ id: Id('inv') }),
})

const Token = Line(1, 100, { description: 'The last part of the link.' })

export const lookUpInvitation = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/invitations/lookup',
  summary: 'Tell what a link invites to',
  body: Fields({ token: Token }),
  reply: Fields({
    email: Type.String(),
    role: OneOf(ROLES),
    workspace_name: Line(1, 100),
    invited_by_name: Line(1, 100),
    has_account: Flag({
      description: 'Whether it takes the password of an account that is there.',
    }),
  }),
})

export const acceptInvitation = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/invitations/accept',
  summary: 'Accept an invitation, and sign in',
  body: Fields({
    token: Token,
    name: Optional(Line(1, 100, { description: 'Of an account that is yet to be made.' })),
    password: Optional(Type.String({ format: 'raw', maxLength: 1_024 })),
    locale: Optional(Locale()),
    code: Optional(
      Line(1, 40, { description: 'Of the second factor of the account, if it has one.' }),
    ),
  }),
  reply: Session,
  status: 201,
})

/** Only guests need to be told where they may go. */
function together({ role, project_ids }: Readonly<Record<string, unknown>>): Fault[] {
  const isOther = role === 'owner' || role === 'admin' || role === 'member'
  if (!isOther || !Array.isArray(project_ids) || project_ids.length === 0) return []
  return [fault('project_ids', 'conflicting_fields', `cannot stand beside the role ${role}`)]
}
