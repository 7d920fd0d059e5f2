import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { OperationChange } from '#wire/operation-record.ts'
import {
  Flag,
  Id,
  Integer,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'
import { SUPERVISION_REASONS } from '#wire/supervision.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Approvals' } as const
const params = StrictObject({ id: Id('opr') })

/** A request of a supervised credential, with what it would do (docs/spec/api.md#supervised-credentials). */
export type Approval = Static<typeof Approval>
export const Approval = Type.Object(
  {
    id: Id('opr', { description: 'That of the operation that it becomes.' }),
    status: StringEnum(['pending', 'done', 'refused', 'expired']),
    user: StrictObject(
      { id: Id('usr'), name: Nullable(Type.String()) },
      { description: 'The owner of the credential.' },
    ),
    credential: StrictObject({
      type: StringEnum(['api_key', 'app']),
      id: Type.String(),
      name: Nullable(Type.String(), { description: 'Null once it is revoked.' }),
    }),
    endpoint: Type.String({ description: 'Such as `DELETE /api/v1/tasks/:id`.' }),
    request: StrictObject(
      { params: Type.Unknown(), query: Type.Unknown(), body: Type.Unknown() },
      { description: 'What was sent.' },
    ),
    reasons: List(StringEnum(SUPERVISION_REASONS)),
    record_count: Integer(0, Number.MAX_SAFE_INTEGER),
    changes: List(OperationChange, {
      description:
        'What it would do, one for each event: the first in a list, up to 100 of a single read. ' +
        'What is in a project that the person does not see is left out.',
    }),
    version: Type.String({ description: 'Another one once what it would do is another.' }),
    created_at: Timestamp(),
    expires_at: Timestamp(),
    decided_by: Nullable(StrictObject({ id: Id('usr'), name: Nullable(Type.String()) })),
    decided_at: Nullable(Timestamp()),
  },
  { title: 'Approval', additionalProperties: false },
)

export const listApprovals = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/approvals',
  summary: 'List requests that wait for a person',
  description: 'Those of your own credentials; owners and admins get those of all.',
  query: ListQuery(['-created_at'], {
    state: Optional(
      StringEnum(['pending', 'all'], { description: '`pending` (the default): can be allowed.' }),
    ),
  }),
  reply: PageOf(Approval),
})

export const getApproval = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/approvals/:id',
  summary: 'Get a request that waits for a person, with what it would do',
  params,
  reply: Approval,
})

export const allowApproval = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/approvals/:id/allow',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Allow a request and run it',
  description:
    'If it would do something else by now than the approval says, nothing is done, the approval says so from then ' +
    'on, and the reply is 409 `changed_since`.',
  params,
  body: StrictObject({
    version: Optional(
      Type.String({
        maxLength: 64,
        description:
          'That of the approval you have looked at; 409 `changed_since` if it is another by now.',
      }),
    ),
    for_an_hour: Optional(
      Flag({ description: 'Its credential is not asked about anything for an hour.' }),
    ),
  }),
  bodyOptional: true,
  reply: Approval,
})

export const changeApproval = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/approvals/:id',
  grantsLastingAccess: false,
  summary: 'Change the body of a request that waits, and see what it would do',
  description: 'Only for the owner of the credential, in whose name it runs. Nothing is done yet.',
  params,
  body: StrictObject({
    request_body: Type.Unknown({ description: 'The whole body, in place of what was sent.' }),
  }),
  reply: Approval,
})

export const refuseApproval = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/approvals/:id/refuse',
  grantsLastingAccess: false,
  summary: 'Refuse a request',
  params,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Approval,
})
