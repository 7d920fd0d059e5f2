import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import type { Fault } from '#wire/fault.ts'
import { fault } from '#wire/fault.ts'
import { faultOfPassword } from '#wire/password-rule.ts'
import {
  Body,
  Email,
  Fields,
  Flag,
  Id,
  Line,
  Locale,
  Nullable,
  OneOf,
  Optional,
  Timestamp,
  Timezone,
} from '#wire/schema.ts'

/** Passwords hold any characters. What is far too long is refused before it is hashed. */
export const Password = Type.String({ format: 'raw', maxLength: 1_024 })
/** What a link brings. */
const LinkToken = Line(1, 100)
/** One that is malformed names no workspace. */
const WorkspaceId = Line(1, 64)
const Name = Line(1, 100)

type Given = Readonly<Record<string, unknown>>

/** What is wrong with the password that is chosen, if one is. */
export const judged = (given: Given): Fault[] => {
  const { password } = given
  const wrong = typeof password === 'string' ? faultOfPassword('password', password) : undefined
  return wrong ? [wrong] : []
}

const OPEN = { scope: 'open', limit: 'none', tag: 'Accounts' } as const
const OF_SESSION = { scope: 'session', limit: 'session', tag: 'Accounts' } as const
const NOTHING = Fields({})

export const getSetup = endpoint({
  ...OPEN,
  method: 'GET',
  path: '/internal/setup',
  summary: 'Tell who may sign up, and whether the installation is somebody’s already',
  reply: Fields({
    signup: OneOf(['open', 'invite']),
    initialized: Flag(),
    company: Nullable(Line(1, 100), {
      description: 'What the button of the company’s sign-in says; null: there is none.',
    }),
    passkeys: Flag({ description: 'Whether browsers can keep passkeys for this address.' }),
    password: Flag({ description: 'Whether people sign in by a password.' }),
  }),
})

/** A workspace that can be restored, until it is erased. */
export const Deletion = Fields({
  id: Id('wsp'),
  name: Name,
  deleted_at: Timestamp(),
  erased_at: Timestamp({ description: 'From then on upkeep takes away all that was in it.' }),
})

export const eraseAccount = endpoint({
  ...OF_SESSION,
  ofDeleted: true,
  beforeSecondFactor: true,
  method: 'DELETE',
  path: '/internal/account',
  summary: 'Erase one’s account',
  description:
    'Ends all memberships; name and address become those of a removed person, in stored events too. What the person ' +
    'made stays. 409 `last_owner` where a workspace would have no owner.',
  body: Fields({ current_password: Password }),
})

export const deleteWorkspace = endpoint({
  ...OF_SESSION,
  method: 'DELETE',
  path: '/internal/workspace',
  tag: 'Workspace',
  summary: 'Delete the workspace',
  description:
    'For owners, who show that they mean it by its name and their password. It can be restored until `erased_at`; ' +
    'meanwhile its keys, tokens and webhooks do nothing, and others find it gone.',
  body: Fields({ name: Name, current_password: Password }),
  reply: Deletion,
})

export const signUp = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/signup',
  summary: 'Make an account, and a workspace of its own',
  body: Fields(
    {
      email: Email(),
      password: Password,
      name: Name,
      workspace_name: Name,
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
    },
    { 'x-together': judged },
  ),
  reply: Session,
  status: 201,
})

export const setUp = endpoint({
  ...OF_SESSION,
  method: 'POST',
  path: '/internal/setup',
  summary: 'Make the demo installation one’s own',
  body: Fields(
    {
      email: Email(),
      password: Password,
      name: Name,
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
      demo: OneOf(['keep', 'remove']),
      workspace_name: Optional(Name),
    },
    { 'x-together': (given) => [...judged(given), ...workspaceNamed(given)] },
  ),
  reply: Session,
})

/** A workspace is named where one is begun. */
function workspaceNamed({ demo, workspace_name }: Given): Fault[] {
  const isNamed = workspace_name !== undefined
  if (demo === 'remove' && !isNamed) return [fault('workspace_name', 'required', 'is required')]
  if (demo !== 'keep' || !isNamed) return []
  return [fault('workspace_name', 'conflicting_fields', 'cannot stand beside demo: keep')]
}

export const signIn = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session',
  summary: 'Sign in',
  body: Fields({ email: Email(), password: Password, workspace_id: Optional(WorkspaceId) }),
  reply: Session,
  status: 201,
})

export const switchWorkspace = endpoint({
  ...OF_SESSION,
  ofDeleted: true,
  beforeSecondFactor: true,
  method: 'PATCH',
  path: '/internal/session',
  summary: 'Go to another workspace of the person',
  body: Body({ workspace_id: Optional(WorkspaceId) }, Session),
  reply: Session,
})

export const signOut = endpoint({
  ...OF_SESSION,
  ofDeleted: true,
  beforeSecondFactor: true,
  method: 'DELETE',
  path: '/internal/session',
  summary: 'Sign out',
})

export const changeAccount = endpoint({
  ...OF_SESSION,
  method: 'PATCH',
  path: '/internal/account',
  summary: 'Change one’s account',
  body: Body(
    {
      name: Optional(Name),
      avatar_url: Optional(Nullable(Type.String({ format: 'iri', maxLength: 2_048 }))),
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
      email: Optional(Email()),
      password: Optional(Password),
      current_password: Optional(Password),
    },
    Member,
    [],
    [],
    (given) => [...judged(given), ...confirmed(given)],
  ),
  reply: Member,
})

/** By what one signs in changes only by whoever knows the password. */
function confirmed({ email, password, current_password }: Given): Fault[] {
  const isNeeded = email !== undefined || password !== undefined
  if (!isNeeded || current_password !== undefined) return []
  return [fault('current_password', 'required', 'is required to change e-mail or password')]
}

export const askReset = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/password-resets',
  summary: 'Ask for a link by mail to choose another password',
  body: Fields({ email: Email() }),
  reply: NOTHING,
  status: 202,
})

export const acceptReset = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/password-resets/accept',
  summary: 'Choose another password by the link',
  body: Fields({ token: LinkToken, password: Password }, { 'x-together': judged }),
  reply: Session,
  status: 201,
})
