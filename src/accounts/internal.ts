import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  Pattern,
  SingleLineText,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
} from '#wire/schema-builders.ts'
import { PasswordField } from './contract.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Accounts' } as const

/** A six-digit TOTP code or a recovery code. Spaces and hyphens do not matter. */
const SecondFactorCodeField = SingleLineText(1, 40)
/** Required if the account has a password; otherwise the session must be recent. */
const CurrentPassword = { current_password: Optional(PasswordField) }

/** A passkey, as its user sees it. */
export const Passkey = Type.Object(
  {
    id: Id('pky'),
    name: SingleLineText(1, 100),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp()),
  },
  { title: 'Passkey', additionalProperties: false },
)

export const getSignInMethods = endpoint({
  ...SESSION,
  allowsMissingSecondFactor: true,
  method: 'GET',
  path: '/internal/account/sign-in',
  summary: 'Get your sign-in methods',
  reply: StrictObject({
    has_password: Flag(),
    email: StrictObject({
      confirmed: Flag({ description: 'Whether the person has proved that the address is theirs.' }),
      sent_to: Nullable(Type.String(), {
        description: 'The address that has a link to confirm it.',
      }),
    }),
    company: Nullable(
      StrictObject({
        email: Nullable(Type.String()),
        created_at: Timestamp(),
        last_used_at: Nullable(Timestamp()),
      }),
      { description: 'Who the person is at the company’s provider; null: not linked.' },
    ),
    passkeys: List(Passkey),
    second_factor: StrictObject({
      enabled_at: Nullable(Timestamp()),
      recovery_codes_left: Integer(0, 10),
    }),
  }),
})

const OPEN = { scope: 'open', limit: 'none', tag: 'Accounts' } as const

export const confirmEmail = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/account/email-confirmation',
  // The link exists only because somebody with the password has asked for it.
  grantsLastingAccess: 'checked_by_action',
  summary: 'Confirm an email address with the link that was sent to it',
  description:
    'In a session of the account. An address that replaces another one is that of the account from now on.',
  body: StrictObject({ token: SingleLineText(1, 100) }),
  reply: Member,
})

export const sendEmailConfirmation = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/account/email-confirmation/link',
  grantsLastingAccess: false,
  summary: 'Send the link that confirms your email address again',
  description:
    'To the address that waits for its confirmation. 429 `too_many_attempts` after five links within 15 minutes.',
  bodyOptional: true,
  body: StrictObject({}),
  reply: StrictObject({}),
  status: 202,
})

export const listAccountAccess = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/account/access',
  summary: 'List what you have set up beside your sessions',
  description:
    'API keys, authorized applications, webhooks, open invitations and browsers that receive notifications of yours ' +
    'in all your workspaces, the newest 200 of each; webhooks and invitations only where you are an owner or admin.',
  reply: StrictObject({
    data: List(
      StrictObject({
        id: Type.String(),
        kind: StringEnum(['api_key', 'application', 'webhook', 'invitation', 'push_device']),
        name: Type.String({
          description:
            'Of a webhook its URL, of an invitation its address, of a browser what it calls itself.',
        }),
        workspace: StrictObject({ id: Id('wsp'), name: SingleLineText(1, 100) }),
        created_at: Timestamp(),
        last_used_at: Nullable(Timestamp(), {
          description:
            'Of a browser, when something was last sent to it. Null if never, or not recorded.',
        }),
      }),
    ),
  }),
})

export const endAccountAccess = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/account/access/:id',
  grantsLastingAccess: false,
  summary: 'End an API key, authorization, webhook, invitation or browser of yours',
  description: 'In whatever workspace it is.',
  params: StrictObject({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
})

export const beginSsoSignIn = endpoint({
  ...OPEN,
  limit: 'unauthenticated',
  method: 'POST',
  path: '/internal/company-sign-in',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Start single sign-on, or link your account',
  body: StrictObject({
    purpose: StringEnum(['sign_in', 'link']),
    invitation: Optional(SingleLineText(1, 100, { description: 'Of a link that invites.' })),
    ...CurrentPassword,
  }),
  reply: StrictObject({ redirect_to: Type.String() }),
})

export const finishSsoSignIn = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/company-sign-in/finish',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Complete single sign-on',
  body: StrictObject({
    code: SingleLineText(1, 4_096),
    state: SingleLineText(1, 200),
    iss: Optional(SingleLineText(1, 1_000)),
    timezone: Optional(Timezone()),
  }),
  reply: Session,
})

export const endSsoLink = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'DELETE',
  path: '/internal/account/company',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Unlink single sign-on',
  body: StrictObject(CurrentPassword),
})

export const signInWithLink = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/session/link',
  grantsLastingAccess: false,
  summary: 'Sign in with a link of an operator',
  body: StrictObject({ token: SingleLineText(1, 100) }),
  reply: Session,
  status: 201,
})

export const createFirstWorkspace = endpoint({
  ...OPEN,
  limit: 'sign_up',
  method: 'POST',
  path: '/internal/session/workspace',
  grantsLastingAccess: false,
  summary: 'Create a workspace if you have none',
  description:
    'A sign-in of somebody who is a member of no workspace ends in 403 `no_workspace` and goes on here, within ten ' +
    'minutes, where anybody may sign up; else 403 `signup_disabled`. 401 `sign_in_over` without such a sign-in.',
  body: StrictObject({ name: SingleLineText(1, 100), timezone: Timezone() }),
  reply: Session,
  status: 201,
})

export const cancelPendingSignIn = endpoint({
  ...OPEN,
  method: 'DELETE',
  path: '/internal/session/workspace',
  grantsLastingAccess: false,
  summary: 'Sign out without a workspace',
})

export const confirmSession = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/session/confirmation',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Confirm the session by the password',
  description:
    'For the next 15 minutes it may make what outlives it, as after a sign-in. 403 `sign_in_again` without a password ' +
    'in the account, and with a second factor that the session has not shown.',
  body: StrictObject({ current_password: PasswordField }),
})

export const verifySecondFactor = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/session/second-factor',
  grantsLastingAccess: false,
  summary: 'Complete sign-in with the second factor',
  body: StrictObject({ code: SecondFactorCodeField }),
  reply: Session,
  status: 201,
})

export const prepareSecondFactor = endpoint({
  ...SESSION,
  limit: 'access',
  allowsMissingSecondFactor: true,
  method: 'POST',
  path: '/internal/account/second-factor',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Create a secret for an authenticator app',
  body: StrictObject(CurrentPassword),
  reply: StrictObject({
    secret: Type.String({ description: 'Base32.' }),
    uri: Type.String({ description: 'The same as an `otpauth:` address.' }),
    qr: StrictObject(
      {
        size: Integer(1, 200),
        path: Type.String({ description: 'Squares, as the `d` of an SVG path.' }),
      },
      { description: 'The address as a QR code.' },
    ),
  }),
  hasSecretReply: true,
})

const RecoveryCodes = StrictObject({ recovery_codes: List(Type.String()) })

export const enableSecondFactor = endpoint({
  ...SESSION,
  limit: 'access',
  allowsMissingSecondFactor: true,
  method: 'POST',
  path: '/internal/account/second-factor/enable',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Confirm a code and turn on two-factor authentication',
  body: StrictObject({ code: SecondFactorCodeField }),
  reply: RecoveryCodes,
  hasSecretReply: true,
})

export const renewRecoveryCodes = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/account/second-factor/recovery-codes',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Replace the recovery codes',
  body: StrictObject({ ...CurrentPassword, code: SecondFactorCodeField }),
  reply: RecoveryCodes,
  hasSecretReply: true,
})

export const disableSecondFactor = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/account/second-factor/disable',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Turn off two-factor authentication',
  body: StrictObject({ ...CurrentPassword, code: SecondFactorCodeField }),
  reply: StrictObject({}),
})

/** Binary WebAuthn data in base64url. */
const Bytes = (maxLength: number) =>
  Pattern('^[A-Za-z0-9_-]+$', 'base64url without padding', { maxLength })
const Challenge = {
  challenge: Type.String(),
  site: Type.String({ description: 'The `rp.id`.' }),
}

export const beginPasskeySignIn = endpoint({
  ...OPEN,
  limit: 'unauthenticated',
  method: 'POST',
  path: '/internal/session/passkey/challenge',
  grantsLastingAccess: false,
  summary: 'Get a challenge to sign in with a passkey',
  body: StrictObject({}),
  reply: StrictObject(Challenge),
})

export const signInWithPasskey = endpoint({
  ...OPEN,
  limit: 'sign_in',
  method: 'POST',
  path: '/internal/session/passkey',
  grantsLastingAccess: false,
  summary: 'Sign in with a passkey',
  body: StrictObject({
    id: Bytes(1_400),
    client_data: Bytes(10_000),
    authenticator_data: Bytes(10_000),
    signature: Bytes(2_000),
    workspace_id: Optional(SingleLineText(1, 64)),
  }),
  reply: Session,
  status: 201,
})

export const beginPasskeyRegistration = endpoint({
  ...SESSION,
  limit: 'access',
  allowsMissingSecondFactor: true,
  method: 'POST',
  path: '/internal/account/passkeys/challenge',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Get a challenge to create a passkey',
  body: StrictObject(CurrentPassword),
  reply: StrictObject({
    ...Challenge,
    user: StrictObject({ id: Type.String(), name: Type.String() }),
    algorithms: List(Type.Integer(), { description: 'Of COSE.' }),
    known: List(Type.String(), { description: 'Credentials that the person has already.' }),
  }),
})

export const createPasskey = endpoint({
  ...SESSION,
  limit: 'access',
  allowsMissingSecondFactor: true,
  method: 'POST',
  path: '/internal/account/passkeys',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Store a new passkey',
  body: StrictObject({
    name: SingleLineText(1, 100),
    id: Bytes(1_400),
    client_data: Bytes(10_000),
    attestation: Bytes(50_000),
    transports: List(SingleLineText(1, 20), { maxItems: 10 }),
  }),
  reply: Passkey,
  status: 201,
})

export const deletePasskey = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'DELETE',
  path: '/internal/account/passkeys/:id',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Delete a passkey',
  params: StrictObject({ id: Id('pky') }),
  body: StrictObject(CurrentPassword),
})
