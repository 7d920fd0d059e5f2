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
