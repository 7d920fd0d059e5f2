import { Type } from 'typebox'
import { Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { ROLES, rolesWith } from '#wire/rights.ts'
import {
  EmailAddress,
  Id,
  IdReference,
  List,
  Locale,
  Optional,
  PageOf,
  PagingQuery,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
  UniqueList,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Invitations' } as const
const OPEN = { scope: 'open', limit: 'none', tag: 'Invitations' } as const

/** A pending invitation (docs/spec/api.md#internal-resources). */
export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object(
  {
    id: Id('inv'),
    email: Type.String(),
    role: StringEnum(ROLES),
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
  summary: 'List open invitations',
  description: 'Those that have expired stay in the list for 30 days.',
  query: PagingQuery,
  reply: PageOf(Invitation),
})

export const createInvitation = endpoint({
  ...SESSION,
  limit: 'invitation',
  method: 'POST',
  path: '/internal/invitations',
  grantsLastingAccess: true,
  summary: 'Invite a person; replaces an earlier invitation to the same address',
  body: RequestBody(
    {
      email: EmailAddress(),
      role: StringEnum(ROLES),
      project_ids: Optional(UniqueList(IdReference('prj'), 100)),
    },
    Invitation,
    ['accept_url'],
    [],
    validateProjects,
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
  hasSecretReply: true,
})

export const deleteInvitation = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/invitations/:id',
  grantsLastingAccess: false,
  summary: 'Revoke an invitation',
  params: StrictObject({ id: Id('inv') }),
})

const Token = SingleLineText(1, 100, { description: 'The last part of the link.' })

export const lookUpInvitation = endpoint({
  ...OPEN,
  limit: 'unauthenticated',
  method: 'POST',
  path: '/internal/invitations/lookup',
  grantsLastingAccess: false,
  summary: 'Get the invitation of a link',
  body: StrictObject({ token: Token }),
  reply: StrictObject({
    email: Type.String(),
    role: StringEnum(ROLES),
    workspace_name: SingleLineText(1, 100),
    invited_by_name: SingleLineText(1, 100),
  }),
})

export const acceptInvitation = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/invitations/accept',
  grantsLastingAccess: false,
  summary: 'Accept an invitation and sign in',
  body: StrictObject({
    token: Token,
    name: Optional(
      SingleLineText(1, 100, {
        description: 'Of an account that is yet to be made; ignored for one that exists.',
      }),
    ),
    password: Optional(Type.String({ format: 'raw', maxLength: 1_024 })),
    timezone: Optional(Timezone()),
    locale: Optional(Locale()),
    code: Optional(
      SingleLineText(1, 40, { description: 'Of the second factor of the account, if it has one.' }),
    ),
  }),
  reply: Session,
  status: 201,
})

/** Only guests take a list of projects; all other roles have access without one. */
function validateProjects({ role, project_ids }: Readonly<Record<string, unknown>>): FieldError[] {
  const seesProjectsByRole = rolesWith('see_open_projects').some((one) => one === role)
  if (!seesProjectsByRole || !Array.isArray(project_ids) || project_ids.length === 0) return []
  return [
    fieldError('project_ids', 'conflicting_fields', `cannot be combined with the role ${role}`),
  ]
}
