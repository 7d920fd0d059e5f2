import { Type } from 'typebox'
import { Workspace } from '#resources/me/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Body,
  Fields,
  Flag,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  Optional,
  type Static,
  Timestamp,
  Timezone,
  Whole,
} from '#wire/schema.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Workspace' } as const

export const getWorkspace = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace',
  summary: 'Get the workspace',
  reply: Workspace,
})

export const getDeletion = endpoint({
  ...SESSION,
  ofDeleted: true,
  method: 'GET',
  path: '/internal/workspace/deletion',
  summary: 'Tell an owner until when the workspace, which is deleted, can be restored',
  reply: Fields({
    id: Id('wsp'),
    name: Line(1, 100),
    deleted_at: Timestamp(),
    erased_at: Timestamp(),
    workspaces: List(Fields({ id: Id('wsp'), name: Line(1, 100) }), {
      description: 'Others of the person, that are not deleted.',
    }),
  }),
})

export const restoreWorkspace = endpoint({
  ...SESSION,
  ofDeleted: true,
  method: 'POST',
  path: '/internal/workspace/restore',
  summary: 'Restore the workspace as it was',
  bodyOptional: true,
  body: Fields({}),
  reply: Workspace,
})

export const updateWorkspace = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/workspace',
  summary: 'Change the workspace',
  body: Body(
    {
      name: Optional(Line(1, 100)),
      timezone: Optional(Timezone()),
      plan: Optional(OneOf(['free', 'paid'])),
    },
    Workspace,
  ),
  reply: Workspace,
})

const Count = Whole(0, Number.MAX_SAFE_INTEGER)

/** What a workspace has asked of its limit in the last 24 hours. */
export type Usage = Static<typeof Usage>
export const Usage = Fields({
  limit: Whole(1, Number.MAX_SAFE_INTEGER, {
    description: 'Requests a minute, by the plan of now.',
  }),
  minutes: List(
    Fields({
      at: Timestamp({ description: 'When the minute begins.' }),
      used: Count,
      refused: Whole(0, Number.MAX_SAFE_INTEGER, { description: 'Requests answered 429.' }),
    }),
    { description: 'In order of time; minutes without a request are left out.' },
  ),
  credentials: List(
    Fields({
      type: OneOf(['api_key', 'oauth', 'session', 'others']),
      id: Nullable(Line(1, 64)),
      name: Nullable(Line(0, 200, { description: 'Of the key; of a session its person.' })),
      used: Count,
      refused: Count,
    }),
    { description: 'Those that asked most, the busiest first; `others` is all beside them.' },
  ),
})

export const getUsage = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace/usage',
  summary: 'Tell how much of the limit was used in each minute of the last 24 hours',
  description: 'At most a minute behind. Counts what the limit counts: requests to /api/v1.',
  reply: Usage,
})

const Demand = OneOf(['optional', 'required'], {
  description: 'Whether sessions that showed one factor are answered, too.',
})

/** What a workspace demands of those who sign in. */
export type SignInRule = Static<typeof SignInRule>
export const SignInRule = Type.Object(
  {
    second_factor: Demand,
    without: Whole(0, Number.MAX_SAFE_INTEGER, {
      description: 'Members who have neither codes, nor a passkey, nor the company’s sign-in.',
    }),
  },
  { title: 'Sign-in rule', additionalProperties: false },
)

export const getSignInRule = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace/sign-in',
  summary: 'Tell what the workspace demands of those who sign in',
  reply: SignInRule,
})

export const updateSignInRule = endpoint({
  ...SESSION,
  method: 'PATCH',
  path: '/internal/workspace/sign-in',
  summary: 'Demand a second factor of the members, or of nobody',
  description:
    'For owners, who have shown a second factor themselves (409 `second_factor_missing`). Sessions of one factor ' +
    'are answered 403 `second_factor_missing` from their next request on; API keys and applications go on.',
  body: Body({ second_factor: Optional(Demand) }, SignInRule),
  reply: SignInRule,
})

export const getMissing = endpoint({
  ...SESSION,
  beforeSecondFactor: true,
  method: 'GET',
  path: '/internal/workspace/second-factor',
  summary: 'Tell who is to show a second factor where, and where else to go',
  reply: Fields({
    name: Line(1, 100, { description: 'Of the workspace.' }),
    is_missing: Flag({ description: 'Whether the session is answered nothing there.' }),
    workspaces: List(Fields({ id: Id('wsp'), name: Line(1, 100) }), {
      description: 'Others of the person.',
    }),
  }),
})
