import { Type } from 'typebox'
import { Session } from '#resources/sessions/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Flag,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  Optional,
  Timestamp,
  Timezone,
  Whole,
} from '#wire/schema.ts'
import { Password } from './contract.ts'

const OF_SESSION = { scope: 'session', limit: 'session', tag: 'Accounts' } as const

/** Six digits of an application, or a recovery code; spaces and hyphens do not matter. */
export const Code = Line(1, 40)
/** Of an account that has one; without one the session must be young. */
const Confirmed = { current_password: Optional(Password) }

/** A passkey, as its person knows it. */
export const Passkey = Type.Object(
  {
    id: Id('pky'),
    name: Line(1, 100),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp()),
  },
  { title: 'Passkey', additionalProperties: false },
)

export const getSignInMeans = endpoint({
  ...OF_SESSION,
  beforeSecondFactor: true,
  method: 'GET',
  path: '/internal/account/sign-in',
  summary: 'Tell how the person can sign in',
  reply: Fields({
    has_password: Flag(),
    company: Nullable(
      Fields({
        email: Nullable(Type.String()),
        created_at: Timestamp(),
        last_used_at: Nullable(Timestamp()),
      }),
      { description: 'Who the person is at the company’s provider; null: not linked.' },
    ),
    passkeys: List(Passkey),
    second_factor: Fields({
      enabled_at: Nullable(Timestamp()),
      recovery_codes_left: Whole(0, 10),
    }),
  }),
})

const OPEN = { scope: 'open', limit: 'none', tag: 'Accounts' } as const

export const beginCompanySignIn = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/company-sign-in',
  summary: 'Begin to sign in by the company’s provider, or to link the account with it',
  body: Fields({
    purpose: OneOf(['sign_in', 'link']),
    invitation: Optional(Line(1, 100, { description: 'Of a link that invites.' })),
    ...Confirmed,
  }),
  reply: Fields({ redirect_to: Type.String() }),
})

export const finishCompanySignIn = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/company-sign-in/finish',
  summary: 'Come back from the company’s provider',
  body: Fields({
    code: Line(1, 4_096),
    state: Line(1, 200),
    iss: Optional(Line(1, 1_000)),
    timezone: Optional(Timezone()),
  }),
  reply: Session,
})

export const endCompanyLink = endpoint({
  ...OF_SESSION,
  method: 'DELETE',
  path: '/internal/account/company',
  summary: 'End the link with the company’s provider',
})

export const signInByLink = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session/link',
  summary: 'Sign in by a link that an operator has printed',
  body: Fields({ token: Line(1, 100) }),
  reply: Session,
  status: 201,
})

export const beginOwnWorkspace = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session/workspace',
  summary: 'Begin a workspace, and be signed in: for who has none',
  description:
    'A sign-in of somebody who is a member of no workspace ends in 403 `no_workspace` and goes on here, within ten ' +
    'minutes, where anybody may sign up; else 403 `signup_disabled`. 401 `sign_in_over` without such a sign-in.',
  body: Fields({ name: Line(1, 100), timezone: Timezone() }),
  reply: Session,
  status: 201,
})

export const leaveSignIn = endpoint({
  ...OPEN,
  method: 'DELETE',
  path: '/internal/session/workspace',
  summary: 'Sign out who has no workspace',
})

export const giveSecondFactor = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session/second-factor',
  summary: 'Show the second factor, and be signed in',
  body: Fields({ code: Code }),
  reply: Session,
  status: 201,
})

export const prepareSecondFactor = endpoint({
  ...OF_SESSION,
  beforeSecondFactor: true,
  method: 'POST',
  path: '/internal/account/second-factor',
  summary: 'Make a secret for an application that makes codes',
  body: Fields(Confirmed),
  reply: Fields({
    secret: Type.String({ description: 'Base32.' }),
    uri: Type.String({ description: 'The same as an `otpauth:` address.' }),
    qr: Fields(
      {
        size: Whole(1, 200),
        path: Type.String({ description: 'Squares, as the `d` of an SVG path.' }),
      },
      { description: 'The address as a QR code.' },
    ),
  }),
  secret: true,
})

const RecoveryCodes = Fields({ recovery_codes: List(Type.String()) })

export const enableSecondFactor = endpoint({
  ...OF_SESSION,
  beforeSecondFactor: true,
  method: 'POST',
  path: '/internal/account/second-factor/enable',
  summary: 'Show a code of the new secret: from now on it is asked for',
  body: Fields({ code: Code }),
  reply: RecoveryCodes,
  secret: true,
})

export const renewRecoveryCodes = endpoint({
  ...OF_SESSION,
  method: 'POST',
  path: '/internal/account/second-factor/recovery-codes',
  summary: 'Get new recovery codes in place of those that are left',
  body: Fields({ ...Confirmed, code: Code }),
  reply: RecoveryCodes,
  secret: true,
})

export const disableSecondFactor = endpoint({
  ...OF_SESSION,
  method: 'POST',
  path: '/internal/account/second-factor/disable',
  summary: 'Give up the second factor',
  body: Fields({ ...Confirmed, code: Code }),
  reply: Fields({}),
})

/** Bytes of WebAuthn. */
const Bytes = (most: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: most })
const Challenge = {
  challenge: Type.String(),
  site: Type.String({ description: 'The `rp.id`.' }),
}

export const beginPasskeySignIn = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session/passkey/challenge',
  summary: 'Ask for a challenge to sign in by a passkey',
  body: Fields({}),
  reply: Fields(Challenge),
})

export const signInByPasskey = endpoint({
  ...OPEN,
  method: 'POST',
  path: '/internal/session/passkey',
  summary: 'Sign in by a passkey',
  body: Fields({
    id: Bytes(1_400),
    client_data: Bytes(10_000),
    authenticator_data: Bytes(10_000),
    signature: Bytes(2_000),
    workspace_id: Optional(Line(1, 64)),
  }),
  reply: Session,
  status: 201,
})

export const beginPasskey = endpoint({
  ...OF_SESSION,
  beforeSecondFactor: true,
  method: 'POST',
  path: '/internal/account/passkeys/challenge',
  summary: 'Ask for a challenge to make a passkey',
  body: Fields(Confirmed),
  reply: Fields({
    ...Challenge,
    user: Fields({ id: Type.String(), name: Type.String() }),
    algorithms: List(Type.Integer(), { description: 'Of COSE.' }),
    known: List(Type.String(), { description: 'Credentials that the person has already.' }),
  }),
})

export const createPasskey = endpoint({
  ...OF_SESSION,
  beforeSecondFactor: true,
  method: 'POST',
  path: '/internal/account/passkeys',
  summary: 'Keep a passkey that was made',
  body: Fields({
    name: Line(1, 100),
    id: Bytes(1_400),
    client_data: Bytes(10_000),
    attestation: Bytes(50_000),
    transports: List(Line(1, 20), { maxItems: 10 }),
  }),
  reply: Passkey,
  status: 201,
})

export const deletePasskey = endpoint({
  ...OF_SESSION,
  method: 'DELETE',
  path: '/internal/account/passkeys/:id',
  summary: 'End a passkey',
  params: Fields({ id: Id('pky') }),
})
