import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '#wire/audit.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Id,
  Line,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  PagingOnly,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Audit log' } as const

const Sequence = Whole(1, Number.MAX_SAFE_INTEGER)
const Hash = Type.String({ description: 'Lower-case hex.' })

/** An entry of the audit log as it is shown. Names are those of now: the entry itself holds ids alone. */
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object(
  {
    sequence: Sequence,
    at: Timestamp(),
    actor_type: OneOf(['user', 'api_key', 'app', 'system']),
    actor_id: Nullable(Id('usr')),
    credential_id: Nullable(Line(1, 64)),
    action: OneOf(AUDIT_ACTIONS),
    subject_id: Nullable(Line(1, 64)),
    subject_name: Nullable(Line(0, 200), {
      description: 'Of a member, a key, a project or an application that is still there.',
    }),
    details: Type.Record(Type.String(), Type.Unknown()),
    operation_id: Id('opr'),
    hash: Hash,
  },
  { title: 'AuditEntry', additionalProperties: false },
)

export const listAudit = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/audit',
  summary: 'Read the audit log of the workspace, the newest entry first',
  query: Fields({
    ...PagingOnly.properties,
    action: Optional(OneOf(AUDIT_ACTIONS)),
    user_id: Optional(Id('usr', { description: 'Who did it.' })),
    before: Optional(Timestamp({ description: 'Only what was done before.' })),
  }),
  reply: PageOf(AuditEntry),
})

/** What a stretch of the chain was found to be. */
export type AuditCheck = Static<typeof AuditCheck>
export const AuditCheck = Fields({
  from: Nullable(Sequence, { description: 'The oldest entry that was looked at; null: none.' }),
  from_at: Nullable(Timestamp()),
  to: Nullable(Sequence, { description: 'The newest.' }),
  fault: Nullable(Fields({ sequence: Sequence, message: Type.String() }), {
    description: 'The newest entry that is not as it was written; null: all are.',
  }),
  has_more: Type.Boolean({ description: 'Whether there are older ones to look at.' }),
})

export const checkAudit = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/audit/check',
  summary: 'Check that entries of the audit log are as they were written',
  description:
    'From the end of the chain, or from `to`, back over at most 1,000 entries; each hash is reckoned ' +
    'anew. `docket audit verify` checks all, and against ends that were noted elsewhere.',
  query: Fields({ to: Optional(Sequence) }),
  reply: AuditCheck,
})
