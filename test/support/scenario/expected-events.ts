import assert from 'node:assert/strict'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { taskById } from '#resources/tasks/task-json.ts'
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

/** Asserts that all events have the operation's id, and that task events match the stored task. */
export async function assertEventsMatchRecords(
  storage: Storage,
  workspace_id: string,
  envelopes: readonly StoredEnvelope[],
  operation_id: string | undefined,
): Promise<void> {
  for (const { type, data, ...envelope } of envelopes) {
    assert.equal(envelope.operation_id, operation_id, `operation of ${type}`)
    if (!type.startsWith('task.')) continue
    const task = await storage.read({ ...ANONYMOUS_ACTOR, role: 'owner', workspace_id }, (tx) =>
      tx.one(taskById, { id: data.id }),
    )
    assert.deepEqual(data, JSON.parse(task?.json ?? 'null'), `data of ${type}`)
  }
}
