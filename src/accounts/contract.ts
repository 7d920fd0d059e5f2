import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { HoursPerDay, Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import type { FieldError } from '#wire/field-error.ts'
import { fieldError } from '#wire/field-error.ts'
import { validatePassword } from '#wire/password-policy.ts'
import {
  EmailAddress,
  Flag,
  Id,
  Locale,
  Nullable,
  Optional,
  RequestBody,
  SingleLineText,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
} from '#wire/schema-builders.ts'

/**
 * Passwords may contain any characters. Excessive length is rejected before the password is hashed.
 */
export const PasswordField = Type.String({ format: 'raw', maxLength: 1_024 })
/** The token of a link. */
const LinkToken = SingleLineText(1, 100)
/** Any text is accepted: a malformed id is answered like an unknown one. */
const WorkspaceId = SingleLineText(1, 64)
const Name = SingleLineText(1, 100)
/** Whether a new password ends the rest of what opens the account, too. */
const RevokeAccess = Optional(
  Flag({
    description:
      'Whether to end API keys, authorized applications, passkeys and the single sign-on link, too.',
  }),
)

type SubmittedFields = Readonly<Record<string, unknown>>

/** Checks the new password, if there is one. */
export const findPasswordErrors = (fields: SubmittedFields): FieldError[] => {
  const { password } = fields
  const error = typeof password === 'string' ? validatePassword('password', password) : undefined
  return error ? [error] : []
}

const OPEN = { scope: 'open', limit: 'none', tag: 'Accounts' } as const
const SESSION = { scope: 'session', limit: 'session', tag: 'Accounts' } as const
const NO_FIELDS = StrictObject({})

export const getSetup = endpoint({
  ...OPEN,
  method: 'GET',
  path: '/internal/setup',
  summary: 'Get who may sign up and whether the installation is set up',
  reply: StrictObject({
    signup: StringEnum(['open', 'invite']),
    initialized: Flag(),
    company: Nullable(SingleLineText(1, 100), {
      description: 'What the button of the company’s sign-in says; null: there is none.',
    }),
    passkeys: Flag({ description: 'Whether browsers can keep passkeys for this address.' }),
    setup_token: Flag({ description: 'Whether the first account needs the setup token.' }),
    password: Flag({ description: 'Whether people sign in by a password.' }),
  }),
})

/** A deleted workspace. It can be restored until it is erased. */
const DeletedWorkspace = StrictObject({
  id: Id('wsp'),
  name: Name,
  deleted_at: Timestamp(),
  erased_at: Timestamp({ description: 'From then on upkeep takes away all that was in it.' }),
})

export const eraseAccount = endpoint({
  ...SESSION,
  limit: 'access',
  allowsDeletedWorkspace: true,
  allowsMissingSecondFactor: true,
  method: 'DELETE',
  path: '/internal/account',
  grantsLastingAccess: false,
  summary: 'Erase your account',
  description:
    'Ends all memberships; name and address become those of a removed person, in stored events too. What the person ' +
    'made stays. Needs the password; without one in the account, a sign-in within the last 15 minutes; and the second ' +
    'factor, where the account has one, in the session, else 403 `sign_in_again`. 409 `last_owner` where a workspace would have no owner.',
  body: StrictObject({ current_password: Optional(PasswordField) }),
})

export const deleteWorkspace = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'DELETE',
  path: '/internal/workspace',
  grantsLastingAccess: false,
  tag: 'Workspace',
  summary: 'Delete the workspace',
  description:
    'For owners, who show that they mean it by its name and their password; without one in the account, by a sign-in ' +
    'within the last 15 minutes; and by the second factor, where the account has one, in the session, else 403 ' +
    '`sign_in_again`. It can be restored until `erased_at`; meanwhile its keys, ' +
    'tokens and webhooks do nothing, and others find it gone.',
  body: StrictObject({ name: Name, current_password: Optional(PasswordField) }),
  reply: DeletedWorkspace,
})

export const signUp = endpoint({
  ...OPEN,
  limit: 'sign_up',
  method: 'POST',
  path: '/internal/signup',
  grantsLastingAccess: false,
  summary: 'Sign up with a workspace of your own',
  body: StrictObject(
    {
      email: EmailAddress(),
      password: PasswordField,
      name: Name,
      workspace_name: Name,
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
      setup_token: Optional(SingleLineText(1, 100)),
    },
    { 'x-together': findPasswordErrors },
  ),
  reply: Session,
  status: 201,
})

export const completeSetup = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/setup',
  grantsLastingAccess: true,
  summary: 'Set up your account on the demo installation',
  body: StrictObject(
    {
      email: EmailAddress(),
      password: PasswordField,
      name: Name,
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
      demo: StringEnum(['keep', 'remove']),
      workspace_name: Optional(Name),
    },
    {
      'x-together': (fields) => [...findPasswordErrors(fields), ...findWorkspaceNameErrors(fields)],
    },
  ),
  reply: Session,
})

/** A workspace name is required if a new workspace is created, and not accepted otherwise. */
function findWorkspaceNameErrors({ demo, workspace_name }: SubmittedFields): FieldError[] {
  const hasName = workspace_name !== undefined
  if (demo === 'remove' && !hasName)
    return [fieldError('workspace_name', 'required', 'is required')]
  if (demo !== 'keep' || !hasName) return []
  return [
    fieldError('workspace_name', 'conflicting_fields', 'cannot be combined with `demo: keep`'),
  ]
}

export const signIn = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/session',
  grantsLastingAccess: false,
  summary: 'Sign in',
  body: StrictObject({
    email: EmailAddress(),
    password: PasswordField,
    workspace_id: Optional(WorkspaceId),
  }),
  reply: Session,
  status: 201,
})

export const switchWorkspace = endpoint({
  ...SESSION,
  limit: 'switch',
  allowsDeletedWorkspace: true,
  allowsMissingSecondFactor: true,
  method: 'PATCH',
  path: '/internal/session',
  grantsLastingAccess: false,
  summary: 'Switch to another workspace',
  body: RequestBody({ workspace_id: Optional(WorkspaceId) }, Session),
  reply: Session,
})

export const createAnotherWorkspace = endpoint({
  ...SESSION,
  limit: 'sign_up',
  method: 'POST',
  path: '/internal/workspaces',
  grantsLastingAccess: false,
  takesIdempotencyKey: true,
  summary: 'Create another workspace',
  description:
    'You become its owner; the session stays where it is. For everybody where anybody may sign up, otherwise for owners of the current workspace; else 403 `signup_disabled`. Sent again with the same `Idempotency-Key`, the same body creates no second one. 409 `limit_reached` if you own 50, deleted ones included until they are erased.',
  body: StrictObject({ name: Name, timezone: Timezone() }),
  reply: StrictObject({ id: Id('wsp') }),
  status: 201,
})

export const signOut = endpoint({
  ...SESSION,
  allowsDeletedWorkspace: true,
  allowsMissingSecondFactor: true,
  method: 'DELETE',
  path: '/internal/session',
  grantsLastingAccess: false,
  summary: 'Sign out',
})

export const changeAccount = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/account',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Change your account',
  body: RequestBody(
    {
      name: Optional(Name),
      avatar_url: Optional(Nullable(Type.String({ format: 'iri', maxLength: 2_048 }))),
      timezone: Optional(Timezone()),
      locale: Optional(Locale()),
      hours_per_day: Optional(HoursPerDay),
      email: Optional(EmailAddress()),
      password: Optional(PasswordField),
      current_password: Optional(PasswordField),
      revoke_access: RevokeAccess,
    },
    Member,
    [],
    [],
    (fields) => [...findPasswordErrors(fields), ...findConfirmationErrors(fields)],
  ),
  reply: Member,
})

/**
 * Changes of the email address or the password require the present password, and access ends only
 * with a new password.
 */
function findConfirmationErrors({
  email,
  password,
  current_password,
  revoke_access,
}: SubmittedFields): FieldError[] {
  if (revoke_access === true && password === undefined)
    return [fieldError('password', 'required', 'is required to end other access')]
  const isRequired = email !== undefined || password !== undefined
  if (!isRequired || current_password !== undefined) return []
  return [
    fieldError(
      'current_password',
      'required',
      'is required to change the email address or password',
    ),
  ]
}

export const requestPasswordReset = endpoint({
  ...OPEN,
  limit: 'unauthenticated',
  method: 'POST',
  path: '/internal/password-resets',
  grantsLastingAccess: false,
  summary: 'Request a password reset link by email',
  body: StrictObject({ email: EmailAddress() }),
  reply: NO_FIELDS,
  status: 202,
})

export const completePasswordReset = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/password-resets/accept',
  grantsLastingAccess: false,
  summary: 'Reset the password with a link',
  body: StrictObject(
    {
      token: LinkToken,
      password: PasswordField,
      revoke_access: RevokeAccess,
    },
    { 'x-together': findPasswordErrors },
  ),
  reply: Session,
  status: 201,
})
