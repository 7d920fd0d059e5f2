import { Type } from 'typebox'
import { AUDIT_ACTIONS } from '#wire/audit-actions.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  Integer,
  Nullable,
  Optional,
  PageOf,
  PagingQuery,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Audit log' } as const

const Sequence = Integer(1, Number.MAX_SAFE_INTEGER)
const Hash = Type.String({ description: 'Lower-case hex.' })

/** An entry of the audit log. Entries store ids alone; the names are looked up when it is read. */
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object(
  {
    sequence: Sequence,
    at: Timestamp(),
    actor_type: StringEnum(['user', 'api_key', 'app', 'system']),
    actor_id: Nullable(Id('usr')),
    credential_id: Nullable(SingleLineText(1, 64)),
    action: StringEnum(AUDIT_ACTIONS),
    subject_id: Nullable(SingleLineText(1, 64)),
    subject_name: Nullable(SingleLineText(0, 2048), {
      description:
        'Of the workspace, and of a member, a key, a project or an application that is still there; the address of an invitation, the URL of a webhook, and the file name of an import.',
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
  query: StrictObject({
    ...PagingQuery.properties,
    action: Optional(StringEnum(AUDIT_ACTIONS)),
    user_id: Optional(Id('usr', { description: 'Who did it.' })),
    before: Optional(Timestamp({ description: 'Only what was done before.' })),
  }),
  reply: PageOf(AuditEntry),
})

/** The result of verifying a part of the hash chain. */
export type AuditCheck = Static<typeof AuditCheck>
export const AuditCheck = StrictObject({
  from: Nullable(Sequence, { description: 'The oldest entry that was looked at; null: none.' }),
  from_at: Nullable(Timestamp()),
  to: Nullable(Sequence, { description: 'The newest.' }),
  fault: Nullable(StrictObject({ sequence: Sequence, message: Type.String() }), {
    description: 'The newest entry that is not as it was written; null: all are.',
  }),
  has_more: Type.Boolean({ description: 'Whether there are older ones to look at.' }),
})

export const checkAudit = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/audit/check',
  summary: 'Verify entries of the audit log',
  description:
    'From the end of the chain, or from `to`, back over at most 1,000 entries; each hash is reckoned ' +
    'anew. `docket audit verify` checks all, and against ends that were noted elsewhere.',
  query: StrictObject({ to: Optional(Sequence) }),
  reply: AuditCheck,
})
