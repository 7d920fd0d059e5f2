import assert from 'node:assert/strict'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { taskById } from '#resources/tasks/shown.ts'
import { assertPart } from './part.ts'

/** An event as it was written down (contract 8.1). */
export interface Envelope {
  type: string
  operation_id: string
  data: { id: string }
  changes: object
}

/** What is expected of an event: its kind, its changes exactly, and parts of the rest. */
export interface ToldOf {
  type: string
  changes?: object
  data?: object
  actor?: object
  project_id?: string
}

/** Compares the events of a step with those expected, a kind alone or parts of the envelope. */
export function assertTold(
  envelopes: readonly Envelope[],
  wanted: readonly (string | ToldOf)[],
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
    assertPart(envelope, one, message)
    if (one.changes) assert.deepEqual(envelope?.changes, one.changes, message)
  }
}

/** Of one operation all events bear its id, and tell tasks as they are when it has committed. */
export async function assertTrue(
  storage: Storage,
  workspace_id: string,
  envelopes: readonly Envelope[],
  operation_id: string | undefined,
): Promise<void> {
  for (const { type, data, ...envelope } of envelopes) {
    assert.equal(envelope.operation_id, operation_id, `operation of ${type}`)
    if (!type.startsWith('task.')) continue
    const task = await storage.read({ ...NOBODY, role: 'owner', workspace_id }, (tx) =>
      tx.one(taskById, { id: data.id }),
    )
    assert.deepEqual(data, JSON.parse(task?.json ?? 'null'), `data of ${type}`)
  }
}
