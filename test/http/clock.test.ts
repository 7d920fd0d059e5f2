import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '#lib/clock.ts'
import { createTestClock } from '../support/clock.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'

const HOUR = 3_600_000

for (const engine of ENGINES) {
  test(`a clock that jumps an hour ahead and back breaks no order and no retry (${engine})`, async () => {
    const source = createTestClock()
    const { storage, server } = await docketOn(engine, {}, { clock: createClock(source.now) })
    const { keys, project } = await newHome(storage)
    const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, body = {}, key = '') => {
      const {
        statusCode,
        body: text,
        headers,
      } = await server.inject({
        method,
        url: `/api/v1${path}`,
        headers: {
          authorization: `Bearer ${keys.owner}`,
          'content-type': 'application/json',
          ...(key && { 'idempotency-key': key }),
        },
        ...(method !== 'GET' && { payload: JSON.stringify(body) }),
      })
      assert.ok(statusCode < 300, `${method} ${path}: ${statusCode} ${text}`)
      return { ...JSON.parse(text), replayed: headers['idempotency-replayed'] }
    }
    const first = await ask('POST', '/tasks', { project_id: project, title: 'First' }, 'first')
    const timer = await ask('POST', `/tasks/${first.id}/time-entries`, { running: true })
    const [ids, times] = [[first.id], [first.updated_at]]
    for (const jump of [HOUR, -2 * HOUR, HOUR]) {
      source.advance(jump)
      const made = await ask('POST', '/tasks', { project_id: project, title: `Made ${jump}` })
      const changed = await ask('PATCH', `/tasks/${first.id}`, { title: `First ${jump}` })
      ids.push(made.id)
      times.push(changed.updated_at)
      const again = await ask('POST', '/tasks', { project_id: project, title: 'First' }, 'first')
      assert.deepEqual([again.id, again.replayed], [first.id, 'true'])
    }
    assert.deepEqual(ids, [...new Set(ids)].toSorted())
    assert.deepEqual(times, [...new Set(times)].toSorted())
    const page = '/tasks?sort=created_at&limit=2'
    const one = await ask('GET', page)
    const two = await ask('GET', `${page}&cursor=${one.next_cursor}`)
    const listed = [...one.data, ...two.data].map(({ id }: { id: string }) => id)
    assert.deepEqual(listed, ids)
    const stopped = await ask('PATCH', `/time-entries/${timer.id}`, { running: false })
    assert.ok(stopped.duration_seconds >= 1 && stopped.duration_seconds <= 2 * 3600)
    const { data } = await ask('GET', '/events')
    const told = data.map(({ sequence }: { sequence: number }) => sequence)
    assert.deepEqual(
      told,
      told.map((_: number, at: number) => at + 1),
    )
  })
}
