import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '#lib/clock.ts'
import { warnOfWrongClock } from '#server/run-server.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const HOUR_MS = 3_600_000

for (const engine of ENGINES) {
  test(`a clock that jumps an hour keeps ids, timestamps and idempotent retries in order (${engine})`, async () => {
    const testClock = createTestClock()
    const { storage, server } = await openTestDocket(
      engine,
      {},
      { clock: createClock(testClock.now) },
    )
    const { keys, project } = await createTestWorkspace(storage)
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
    for (const jump of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
      testClock.advance(jump)
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
    const listedIds = [...one.data, ...two.data].map(({ id }: { id: string }) => id)
    assert.deepEqual(listedIds, ids)
    const stopped = await ask('PATCH', `/time-entries/${timer.id}`, { running: false })
    assert.ok(stopped.duration_seconds >= 1 && stopped.duration_seconds <= 2 * 3600)
    const { data } = await ask('GET', '/events')
    const sequences = data.map(({ sequence }: { sequence: number }) => sequence)
    assert.deepEqual(
      sequences,
      sequences.map((_: number, at: number) => at + 1),
    )
  })

  test(`an idempotency key is forgotten after 24 hours, also before the purge (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server } = await openTestDocket(engine, {}, { clock: createClock(clock.now) })
    const { keys, project } = await createTestWorkspace(storage)
    const create = async () => {
      const { statusCode, headers } = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks',
        headers: {
          authorization: `Bearer ${keys.owner}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        payload: JSON.stringify({ project_id: project, title: 'Once' }),
      })
      assert.equal(statusCode, 201)
      return headers['idempotency-replayed']
    }
    assert.equal(await create(), undefined)
    clock.advance(24 * HOUR_MS - 60_000)
    assert.equal(await create(), 'true')
    clock.advance(60_000)
    assert.equal(await create(), undefined)
  })

  test(`a start with a clock that was set back logs it (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server } = await openFreshDocket(engine, {}, { clock })
    const { keys, project } = await createTestWorkspace(storage)
    const { statusCode } = await server.inject({
      method: 'POST',
      url: '/api/v1/tasks',
      headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ project_id: project, title: 'First' }),
    })
    assert.equal(statusCode, 201)
    const start = async () => {
      const warnings: string[] = []
      await warnOfWrongClock(storage, { warn: (_, message) => warnings.push(message) })
      return warnings
    }
    const isAboutEvents = (warning: string) => /^The newest event is in the future/.test(warning)
    clock.advance(-4_000)
    assert.ok(!(await start()).some(isAboutEvents), 'a small correction')
    clock.advance(-HOUR_MS)
    const [event = '', ...others] = await start()
    assert.ok(isAboutEvents(event))
    assert.match(others.join(), engine === 'postgres' ? /^The clock of PostgreSQL differs/ : /^$/)
  })
}
