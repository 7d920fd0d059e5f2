import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import type { EngineConnection } from '#db/core/transaction.ts'
import { openPostgresPool } from '#db/postgres/pool.ts'
import {
  createPostgresConnection,
  createStatementNames,
  MAX_PREPARED_STATEMENTS,
} from '#db/postgres/session.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'

if (ENGINES.includes('postgres')) {
  const pool = openPostgresPool({ url: process.env.TEST_POSTGRES ?? '', maxConnections: 1 })
  afterFile(() => pool.end())

  const countOpen = async (on: pg.Pool | pg.PoolClient): Promise<number> =>
    Number((await on.query('select count(*) from pg_prepared_statements')).rows[0].count)

  /** Runs a statement of its own, as each combination of filters is one. */
  const runStatement = async (on: EngineConnection, n: number) => {
    const sql = `select $1::integer + ${n} as sum`
    assert.deepEqual(await on.rows(sql, [1]), [{ sum: n + 1 }])
  }

  test('a connection keeps its latest prepared statements only', async () => {
    const on = createPostgresConnection(pool, createStatementNames())
    const numbers = Array.from({ length: 2 * MAX_PREPARED_STATEMENTS }, (_, n) => n)
    for (const n of numbers) {
      await runStatement(on, n)
      // In use again and again, so it is never the oldest.
      await runStatement(on, 0)
    }
    assert.equal(await countOpen(pool), MAX_PREPARED_STATEMENTS)
    const { rows } = await pool.query(
      `select count(*) filter (where statement like '%+ 0 as sum') as first,
         count(*) filter (where statement like '%+ 1 as sum') as second from pg_prepared_statements`,
    )
    assert.deepEqual(rows, [{ first: 1, second: 0 }])
    // What was closed is prepared again.
    for (const n of numbers) await runStatement(on, n)
    assert.equal(await countOpen(pool), MAX_PREPARED_STATEMENTS)
  })

  test('statements that are sent together are never closed before they are answered', async () => {
    const client = await pool.connect()
    try {
      const on = createPostgresConnection(client, createStatementNames())
      for (const round of [1_000, 2_000, 1_000]) {
        const numbers = Array.from({ length: 2 * MAX_PREPARED_STATEMENTS }, (_, n) => round + n)
        await Promise.all([...numbers, ...numbers].map((n) => runStatement(on, n)))
      }
      await runStatement(on, 5_000)
      assert.ok((await countOpen(client)) <= MAX_PREPARED_STATEMENTS)
    } finally {
      client.release()
    }
  })

  test('a failed statement leaves the others prepared', async () => {
    const client = await pool.connect()
    try {
      const on = createPostgresConnection(client, createStatementNames())
      for (let n = 0; n < 2 * MAX_PREPARED_STATEMENTS; n += 1) {
        await assert.rejects(
          async () => on.rows(`select $1::integer / 0 + ${n} as failed`, [1]),
          /zero/,
        )
        await assert.rejects(
          async () => on.rows(`select $1::integer + missing${n}`, [1]),
          /does not exist/,
        )
        await runStatement(on, n % 10)
      }
      assert.ok((await countOpen(client)) <= MAX_PREPARED_STATEMENTS)
    } finally {
      client.release()
    }
  })
}

test('names every statement, however many there were before', () => {
  const { nameOf } = createStatementNames()
  const names = new Set<string | undefined>()
  for (let n = 0; n < 3_000; n += 1) names.add(nameOf(`select ${n}`).name)
  assert.equal(names.size, 3_000)
  assert.ok(!names.has(undefined))
  assert.ok(names.has(nameOf('select 0').name), 'a name depends on the statement only')
})
