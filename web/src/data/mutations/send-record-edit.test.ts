import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { newerOf, toRevision } from './record-revision.ts'
import { RecordConflictError, sendRecordEdit } from './send-record-edit.ts'

const at = (second: number) => new Date(second * 1_000).toISOString()
const BASE = { id: 'tag_1', name: 'infra', color: 'red', updated_at: at(1) }

const mismatch = () =>
  new ApiResponseError(412, {
    code: 'version_mismatch',
    message: '',
    details: [],
    request_id: 'req_1',
  })

/** Sends a change of `BASE` to a server that has `current`. Returns the revisions that were sent. */
async function sendEdit(
  patch: Partial<typeof BASE>,
  current: typeof BASE,
  known = BASE,
  base = BASE,
) {
  const sent: string[] = []
  const error = await sendRecordEdit(
    {
      async request(revision) {
        sent.push(revision)
        if (revision !== toRevision(current)) throw mismatch()
      },
      refetch: async () => current,
      known,
      conflictMessage: 'Changed meanwhile',
    },
    { base, patch },
  ).catch((thrown: unknown) => thrown)
  return { sent: sent.map((revision) => Number.parseInt(revision, 36) / 1_000), error }
}

test('sends a change of a record on top of changes of other fields', async () => {
  const current = { ...BASE, color: 'blue', updated_at: at(2) }
  assert.deepEqual(await sendEdit({ name: 'ops' }, current), { sent: [1, 2], error: undefined })
})

test('does not overwrite a field of a record that others have changed', async () => {
  const current = { ...BASE, name: 'platform', updated_at: at(2) }
  const { sent, error } = await sendEdit({ name: 'ops' }, current)
  assert.deepEqual(sent, [1])
  assert.ok(error instanceof RecordConflictError)
  assert.deepEqual([error.theirs, error.message], [current, 'Changed meanwhile'])
})

test('is no conflict if others have set the same value', async () => {
  const current = { ...BASE, name: 'ops', updated_at: at(2) }
  assert.deepEqual((await sendEdit({ name: 'ops' }, current)).sent, [1, 2])
})

test('sends the second of two own changes on top of the first at once', async () => {
  const first = { ...BASE, name: 'ops', updated_at: at(2) }
  const base = { ...BASE, name: 'ops' }
  assert.deepEqual((await sendEdit({ name: 'run' }, first, first, base)).sent, [2])
})

test('asks if the first of two own changes was sent on top of one of others', async () => {
  const first = { ...BASE, name: 'platform', color: 'blue', updated_at: at(3) }
  const base = { ...BASE, color: 'blue' }
  const { sent, error } = await sendEdit({ name: 'ops' }, first, first, base)
  assert.deepEqual(sent, [])
  assert.ok(error instanceof RecordConflictError)
})

test('does not send a refused revision again and again', async () => {
  let requests = 0
  const port = {
    async request() {
      requests += 1
      throw mismatch()
    },
    refetch: async () => BASE,
    known: BASE,
    conflictMessage: '',
  }
  await assert.rejects(sendRecordEdit(port, { base: BASE, patch: { name: 'ops' } }), {
    code: 'version_mismatch',
  })
  assert.equal(requests, 1)
})

test('shows no reply over what was read later', () => {
  const reply = { ...BASE, name: 'ops', updated_at: at(2) }
  const later = { ...BASE, name: 'platform', updated_at: at(3) }
  assert.equal(newerOf(later, reply), later)
  assert.equal(newerOf(BASE, reply), reply)
  // What is derived, such as the number of tasks, changes without a new revision.
  const recounted = { ...BASE }
  assert.equal(newerOf(BASE, recounted), recounted)
})
