import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Query, Storage } from '#core/transaction.ts'
import type { Scoped } from '#db/core/statement.ts'
import { attachmentById } from '#resources/attachments/store.ts'
import { commentById } from '#resources/comments/store.ts'
import { memberById } from '#resources/members/store.ts'
import { projectRecordById } from '#resources/projects/store.ts'
import { tagById } from '#resources/tags/store.ts'
import { taskById } from '#resources/tasks/task-json.ts'
import { timeEntryById } from '#resources/time-entries/store.ts'
import { assertPartialMatch } from './partial-match.ts'

/** The stored envelope of an event (docs/spec/api.md#event-envelope). */
export interface StoredEnvelope {
  type: string
  operation_id: string
  data: { id: string }
  changes: object
}

/** The expected type and exact changes of an event, and a partial match of the rest. */
export interface ExpectedEvent {
  type: string
  changes?: object
  data?: object
  actor?: object
  project_id?: string
}

/** Compares the events of a step with the expected types or partial envelopes. */
export function assertEvents(
  envelopes: readonly StoredEnvelope[],
  wanted: readonly (string | ExpectedEvent)[],
  where: string,
): void {
  assert.deepEqual(
    envelopes.map(({ type }) => type),
    wanted.map((one) => (typeof one === 'string' ? one : one.type)),
    `events of ${where}`,
  )
  for (const [at, one] of wanted.entries()) {
    if (typeof one === 'string') continue
    const envelope = envelopes[at]
    const message = `event ${at} of ${where}: ${JSON.stringify(envelope)}`
    assertPartialMatch(envelope, one, message)
    if (one.changes) assert.deepEqual(envelope?.changes, one.changes, message)
  }
}

/** Reads the record of an event as an owner does, by the first part of its type. */
const RECORD_QUERIES: Record<string, Query<Scoped<{ id: string }>, { json: string }>> = {
  task: taskById,
  comment: commentById,
  attachment: attachmentById,
  time_entry: timeEntryById,
  tag: tagById,
  project: projectRecordById,
  member: memberById,
}

/**
 * Asserts that all events have the operation's id, that their data is the stored record, and that
 * each update says what has changed.
 */
export async function assertEventsMatchRecords(
  storage: Storage,
  workspace_id: string,
  envelopes: readonly StoredEnvelope[],
  operation_id: string | undefined,
): Promise<void> {
  const check = async ({ type, data, ...envelope }: StoredEnvelope) => {
    assert.equal(envelope.operation_id, operation_id, `operation of ${type}`)
    const [noun = '', what = ''] = type.split('.')
    if (what === 'updated') assert.notDeepEqual(envelope.changes, {}, `changes of ${type}`)
    const find = RECORD_QUERIES[noun]
    assert.ok(find, type)
    const record = await storage.read({ ...ANONYMOUS_ACTOR, role: 'owner', workspace_id }, (tx) =>
      tx.one(find, { id: data.id }),
    )
    if (record) assert.deepEqual(data, JSON.parse(record.json), `data of ${type}`)
    // Of a deleted task, only the task itself is still read.
    else assert.ok(what === 'deleted' || noun === 'time_entry', `no record of ${type}`)
  }
  await Promise.all(envelopes.map(check))
}
