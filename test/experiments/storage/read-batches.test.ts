import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPostgresPool } from '#db/postgres/pool.ts'
import { createPostgresReader, createStatementNames } from '#db/postgres/session.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { findFreePort } from '#test/support/system/free-port.ts'

if (ENGINES.includes('postgres')) {
  const pool = openPostgresPool({ url: process.env.TEST_POSTGRES ?? '' })
  afterFile(() => pool.end())
  const reader = createPostgresReader(pool, createStatementNames())

  /** The process of PostgreSQL that each of some reads of one turn was answered by. */
  async function readProcesses(count: number, isSingle: boolean): Promise<unknown[]> {
    const sql = 'select pg_backend_pid() as pid, $1::integer as n'
    const reads = Array.from({ length: count }, (_, n) => reader.rows(sql, [n], isSingle))
    const rows = (await Promise.all(reads)).flat() as { pid: number; n: number }[]
    assert.deepEqual(
      rows.map(({ n }) => n),
      Array.from({ length: count }, (_, n) => n),
    )
    return rows.map(({ pid }) => pid)
  }

  test('reads of one row that begin in one turn share connections, eight each', async () => {
    const processes = await readProcesses(12, true)
    assert.equal(new Set(processes.slice(0, 8)).size, 1)
    assert.equal(new Set(processes.slice(8)).size, 1)
    assert.equal(new Set(processes).size, 2)
    assert.equal(pool.idleCount, pool.totalCount)
  })

  test('lists of one turn have a connection each, so that none waits for another', async () => {
    assert.equal(new Set(await readProcesses(6, false)).size, 6)
  })

  test('a read that fails fails alone, and its connection is not used again', async () => {
    const [before] = await readProcesses(1, true)
    const read = (n: number) => reader.rows('select 12 / $1::integer as result', [n], true)
    const results = await Promise.allSettled([read(3), read(0), read(4)])
    assert.deepEqual(
      results.map((one) => (one.status === 'fulfilled' ? one.value : one.status)),
      [[{ result: 4 }], 'rejected', [{ result: 3 }]],
    )
    assert.equal(pool.idleCount, pool.totalCount)
    assert.ok(!(await readProcesses(1, true)).includes(before))
  })

  test('a read that begins after one of its turn has failed has another connection', async () => {
    await readProcesses(1, true)
    const circular: { self?: object } = {}
    circular.self = circular
    // It fails before it is sent, and so within the turn.
    await assert.rejects(async () => reader.rows('select $1::text', [circular], true), /circular/)
    const [processId] = await readProcesses(1, true)
    assert.equal(typeof processId, 'number')
    assert.equal(pool.idleCount, pool.totalCount)
  })

  test('without a server each read fails, and none waits', async () => {
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/none`
    const unreachable = openPostgresPool({ url })
    const apart = createPostgresReader(unreachable, createStatementNames())
    const reads = Array.from({ length: 3 }, async () => apart.rows('select 1', [], true))
    const results = await Promise.allSettled(reads)
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['rejected']))
    await unreachable.end()
  })
}
