import { Type } from 'typebox'
import { Workspace } from '#resources/me/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  Integer,
  List,
  Nullable,
  Optional,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  Timezone,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Workspace' } as const

export const getWorkspace = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace',
  summary: 'Get the workspace',
  reply: Workspace,
})

export const getWorkspaceDeletion = endpoint({
  ...SESSION,
  allowsDeletedWorkspace: true,
  method: 'GET',
  path: '/internal/workspace/deletion',
  summary: 'Get until when a deleted workspace can be restored',
  reply: StrictObject({
    id: Id('wsp'),
    name: SingleLineText(1, 100),
    deleted_at: Timestamp(),
    erased_at: Timestamp(),
    workspaces: List(StrictObject({ id: Id('wsp'), name: SingleLineText(1, 100) }), {
      description: 'Others of the person, that are not deleted.',
    }),
  }),
})

export const restoreWorkspace = endpoint({
  ...SESSION,
  limit: 'access',
  allowsDeletedWorkspace: true,
  method: 'POST',
  path: '/internal/workspace/restore',
  grantsLastingAccess: false,
  summary: 'Restore a deleted workspace',
  bodyOptional: true,
  body: StrictObject({}),
  reply: Workspace,
})

export const updateWorkspace = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/workspace',
  grantsLastingAccess: false,
  summary: 'Change the workspace',
  body: RequestBody(
    {
      name: Optional(SingleLineText(1, 100)),
      timezone: Optional(Timezone()),
      plan: Optional(StringEnum(['free', 'paid'])),
    },
    Workspace,
  ),
  reply: Workspace,
})

const Count = Integer(0, Number.MAX_SAFE_INTEGER)

/** The use of the rate limit by a workspace in the last 24 hours, and of its storage. */
export type WorkspaceUsage = Static<typeof WorkspaceUsage>
export const WorkspaceUsage = StrictObject({
  limit: Integer(1, Number.MAX_SAFE_INTEGER, {
    description: 'Requests a minute, by the plan of now.',
  }),
  minutes: List(
    StrictObject({
      at: Timestamp({ description: 'When the minute begins.' }),
      used: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'By API keys and applications.' }),
      refused: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Of these, answered 429.' }),
      session_used: Integer(0, Number.MAX_SAFE_INTEGER, {
        description: 'By the web app, which has a limit of the same size for itself.',
      }),
      session_refused: Count,
    }),
    { description: 'In order of time; minutes without a request are left out.' },
  ),
  credentials: List(
    StrictObject({
      type: StringEnum(['api_key', 'oauth', 'session', 'others']),
      id: Nullable(SingleLineText(1, 64)),
      name: Nullable(
        SingleLineText(0, 200, { description: 'Of the key; of a session its person.' }),
      ),
      used: Count,
      refused: Count,
    }),
    {
      description:
        'The busiest first; a session is all those of one person, by whose id. `others` are all other keys and applications, a session without id all other people.',
    },
  ),
  storage: StrictObject(
    {
      limit: Count,
      used: Count,
      files: Integer(0, Number.MAX_SAFE_INTEGER, { description: 'Of `used`: attachments.' }),
      history: Integer(0, Number.MAX_SAFE_INTEGER, {
        description:
          'Of `used`: events, activity and stored replies, which expire or go with their task.',
      }),
    },
    { description: 'Bytes that the workspace stores, and may store.' },
  ),
})

export const getUsage = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace/usage',
  summary: 'Get the storage in use, and the requests per minute of the last 24 hours',
  description:
    'Requests are at most a minute behind, and are those that the limits count: to /api/v1.',
  reply: WorkspaceUsage,
})

const SecondFactorRule = StringEnum(['optional', 'required'], {
  description: 'Whether sessions that showed one factor are answered, too.',
})

/** Whether a workspace requires a second factor. */
const SignInRule = Type.Object(
  {
    second_factor: SecondFactorRule,
    without: Integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'Members who have neither codes, nor a passkey, nor the company’s sign-in.',
    }),
  },
  { title: 'Sign-in rule', additionalProperties: false },
)

export const getSignInRule = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/workspace/sign-in',
  summary: 'Get the sign-in rules of the workspace',
  reply: SignInRule,
})

export const updateSignInRule = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/workspace/sign-in',
  grantsLastingAccess: true,
  summary: 'Require two-factor authentication, or make it optional',
  description:
    'For owners, who have shown a second factor themselves (409 `second_factor_missing`). Sessions of one factor ' +
    'are answered 403 `second_factor_missing` from their next request on; API keys and applications go on.',
  body: RequestBody({ second_factor: Optional(SecondFactorRule) }, SignInRule),
  reply: SignInRule,
})

export const getSecondFactorStatus = endpoint({
  ...SESSION,
  allowsMissingSecondFactor: true,
  method: 'GET',
  path: '/internal/workspace/second-factor',
  summary: 'Get which workspaces require two-factor authentication',
  reply: StrictObject({
    name: SingleLineText(1, 100, { description: 'Of the workspace.' }),
    is_missing: Flag({ description: 'Whether the session is answered nothing there.' }),
    workspaces: List(StrictObject({ id: Id('wsp'), name: SingleLineText(1, 100) }), {
      description: 'Others of the person.',
    }),
  }),
})
