import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Storage } from '#core/transaction.ts'
import { openTestDocket } from '../../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../../support/oauth/oauth-client.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'
import { createServerVariant, rewriteStatements } from '../shared/rewrite-statements.ts'

/**
 * Starts a server with changed statements, and counts how often a changed one was used. Between
 * `holdWrites` and `releaseWrites` writes wait, so that all requests have read before the first writes.
 */
async function startWithChangedSql(change: (sql: string) => string) {
  const docket = await openTestDocket('sqlite')
  const hold = { writes: 0, released: Promise.withResolvers<void>() }
  hold.released.resolve()
  const team = await createTestWorkspace(docket.storage)
  const changes = { used: 0 }
  const storage = rewriteStatements(docket.storage, ({ sql, values }) => {
    const changed = change(sql)
    if (changed !== sql) changes.used += 1
    return { sql: changed, values }
  })
  const write: Storage['write'] = async (actor, work) => {
    hold.writes += 1
    await hold.released.promise
    return storage.write(actor, work)
  }
  const server = await createServerVariant(docket, { storage: { ...storage, write } })
  const app = await createTestApplication(docket, team)
  const holdWrites = () => {
    hold.writes = 0
    hold.released = Promise.withResolvers<void>()
  }
  const releaseWrites = async (count: number) => {
    await waitUntil(`${count} waiting writes`, () => hold.writes >= count)
    hold.released.resolve()
  }
  const client = createOAuthClient({ ...docket, server }, team, app)
  return { changes, server, holdWrites, releaseWrites, ...client }
}

test('control: a code that is consumed unconditionally is redeemed several times', async () => {
  const { changes, server, holdWrites, releaseWrites, codeFor, exchange } =
    await startWithChangedSql((sql) =>
      sql.startsWith('update "oauth_records"') && sql.includes('"used_at" = ?')
        ? sql.replace(' and "used_at" is null', '')
        : sql,
    )
  const { code, verifier } = await codeFor('member')
  holdWrites()
  const exchanges = [1, 2].map(() => exchange(code, verifier))
  await releaseWrites(exchanges.length)
  const statuses = (await Promise.all(exchanges)).map(({ status }) => status)
  assert.ok(changes.used >= 2)
  assert.deepEqual(statuses, [200, 200])
  await server.close()
})

test('control: without ending siblings all of them can be refreshed', async () => {
  const { changes, server, tokensFor, refresh } = await startWithChangedSql((sql) =>
    sql.startsWith('update "oauth_records" set "ended"') ? `${sql} and 1 = 0` : sql,
  )
  const { refresh_token } = await tokensFor('member')
  const pairs = await Promise.all([1, 2, 3].map(() => refresh(refresh_token)))
  const used = pairs.map(({ body }) => refresh(String(body.refresh_token)))
  assert.deepEqual(
    (await Promise.all(used)).map(({ status }) => status),
    [200, 200, 200],
  )
  assert.ok(changes.used > 0)
  await server.close()
})
