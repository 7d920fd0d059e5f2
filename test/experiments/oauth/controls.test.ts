import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDocket } from '../../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../../support/oauth/oauth-client.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'
import { createServerVariant, rewriteStatements } from '../shared/rewrite-statements.ts'

/** Starts a server with changed statements, and counts how often a changed one was used. */
async function startWithChangedSql(change: (sql: string) => string) {
  const docket = await openTestDocket('sqlite')
  const home = await createTestWorkspace(docket.storage)
  const changes = { used: 0 }
  const storage = rewriteStatements(docket.storage, ({ sql, values }) => {
    const changed = change(sql)
    if (changed !== sql) changes.used += 1
    return { sql: changed, values }
  })
  const server = await createServerVariant(docket, { storage })
  const app = await createTestApplication(docket, home)
  return { changes, server, ...createOAuthClient({ ...docket, server }, home, app) }
}

test('control: a code that is consumed unconditionally is redeemed several times', async () => {
  const { changes, server, codeFor, exchange } = await startWithChangedSql((sql) =>
    sql.startsWith('update "oauth_records"') && sql.includes('"used_at" = ?')
      ? sql.replace(' and "used_at" is null', '')
      : sql,
  )
  const { code, verifier } = await codeFor('member')
  const all = await Promise.all(Array.from({ length: 50 }, () => exchange(code, verifier)))
  assert.ok(changes.used > 0)
  assert.ok(all.filter(({ status }) => status === 200).length > 1)
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
