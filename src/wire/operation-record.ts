import { Type } from 'typebox'
import { EVENT_KINDS } from './event-kinds.ts'
import {
  FieldOf,
  Id,
  Integer,
  List,
  Nullable,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from './schema-builders.ts'
import { SUPERVISION_REASONS } from './supervision.ts'

const MAX_COUNT = Number.MAX_SAFE_INTEGER

export const OperationRecordType = StringEnum(
  ['task', 'comment', 'time_entry', 'tag', 'attachment', 'project', 'member', 'view', 'template'],
  {
    title: 'OperationRecordType',
    'x-open': true,
    description: 'The type of a record. More types may be added.',
  },
)

const OperationActor = StrictObject(
  {
    type: StringEnum(['user', 'api_key', 'app', 'system'], {
      title: 'ActorType',
      'x-open': true,
      description:
        '`user`: a person in the web app. `api_key`, `app`: an API key or an OAuth application of a person. ' +
        '`system`: the server or its command line. More values may be added.',
    }),
    user_id: Nullable(Id('usr'), { description: 'The person. Null for `system`.' }),
    name: Nullable(Type.String(), { description: 'The name of the person. Null for `system`.' }),
    credential_id: Nullable(Type.String(), {
      description: 'The API key or the OAuth application. Null for `user` and `system`.',
    }),
  },
  { title: 'OperationActor', description: 'Who did it.' },
)

/** One record that an operation has changed. */
export type OperationChange = Static<typeof OperationChange>
export const OperationChange = StrictObject(
  {
    event_type: StringEnum(EVENT_KINDS, {
      title: 'EventType',
      'x-open': true,
      description: 'What happened to the record.',
    }),
    record_type: FieldOf(OperationRecordType, 'The type of the record.'),
    record_id: Type.String({ description: 'The id of the record.' }),
    project_id: Nullable(Id('prj'), {
      description: 'The project in which it happened. Null for a member.',
    }),
    name: Nullable(Type.String(), {
      description:
        'What a person would call the record: the title of a task, the name of a tag or file.',
    }),
    changes: Type.Unsafe<
      Record<string, { from: unknown; to: unknown; truncated?: boolean | undefined }>
    >({
      type: 'object',
      description: 'The fields that the operation changed, as in its event.',
    }),
  },
  { title: 'OperationChange', description: 'What an operation did to one record.' },
)

const OperationReply = StrictObject(
  {
    status: Integer(200, 299, { description: 'The status.' }),
    body: Type.Unknown({ description: 'The body. Null if there is none.' }),
  },
  { title: 'OperationReply', description: 'The reply to a request that had to wait.' },
)

/** A write with everything that it has changed. */
export type OperationRecord = Static<typeof OperationRecord>
export const OperationRecord = StrictObject(
  {
    id: Id('opr', { description: 'The `X-Operation-Id` of the reply, and of the events.' }),
    created_at: Timestamp({ description: 'When it happened.' }),
    actor: FieldOf(OperationActor, 'Who did it, and with which credential.'),
    import_id: Nullable(Id('imp'), { description: 'The import that did it.' }),
    undoes_id: Nullable(Id('opr'), { description: 'The operation that this one took back.' }),
    undone_by_id: Nullable(Id('opr'), { description: 'The operation that took this one back.' }),
    event_count: Integer(0, MAX_COUNT, {
      description:
        'How many events it caused; among the operations of a task, how many about it that you see.',
    }),
    changes: List(OperationChange, {
      description:
        'What it did, or would do, one for each event, in their order: the first in a list, up to 100 of a single ' +
        'read. What is in a project that you do not see, or that your credential may not read, is left out.',
    }),
    status: StringEnum(['done', 'pending', 'refused', 'expired'], {
      title: 'OperationStatus',
      'x-open': true,
      description:
        '`done`: it has happened. `pending`: it waits for a person who allows it. `refused`: that person did not. ' +
        '`expired`: nobody decided within 7 days. More values may be added.',
    }),
    reasons: List(
      StringEnum(SUPERVISION_REASONS, {
        title: 'SupervisionReason',
        'x-open': true,
        description: 'A rule of the supervision of the credential.',
      }),
      { description: 'Why it waits or has waited for a person. Otherwise empty.' },
    ),
    expires_at: Nullable(Timestamp(), { description: 'Until when a person can allow it.' }),
    reply: Nullable(OperationReply, {
      description:
        'What the request that had to wait was answered when it ran. Only for the credential that has sent it.',
    }),
  },
  { title: 'Operation', description: 'One write, and what it has changed.' },
)
