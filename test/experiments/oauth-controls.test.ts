import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { serverWith, through } from './world/doctored.ts'

/** A server whose statements are made worse: each that is changed must have been met. */
async function worse(change: (sql: string) => string) {
  const docket = await docketOn('sqlite')
  const home = await newHome(docket.storage)
  const met = { times: 0 }
  const storage = through(docket.storage, ({ sql, values }) => {
    const changed = change(sql)
    if (changed !== sql) met.times += 1
    return { sql: changed, values }
  })
  const server = await serverWith(docket, { storage })
  const app = await newApp(docket, home)
  return { met, server, ...client({ ...docket, server }, home, app) }
}

test('a code that is used up unconditionally is found out', async () => {
  const { met, server, codeFor, exchange } = await worse((sql) =>
    sql.startsWith('update "oauth_records"') && sql.includes('"used_at" = ?')
      ? sql.replace(' and "used_at" is null', '')
      : sql,
  )
  const { code, verifier } = await codeFor('member')
  const all = await Promise.all(Array.from({ length: 50 }, () => exchange(code, verifier)))
  assert.ok(met.times > 0)
  assert.ok(all.filter(({ status }) => status === 200).length > 1)
  await server.close()
})

test('siblings that outlive the first of them to be used are found out', async () => {
  const { met, server, tokensFor, refresh } = await worse((sql) =>
    sql.startsWith('update "oauth_records" set "ended"') ? `${sql} and 1 = 0` : sql,
  )
  const { refresh_token } = await tokensFor('member')
  const pairs = await Promise.all([1, 2, 3].map(() => refresh(refresh_token)))
  const used = pairs.map(({ body }) => refresh(String(body.refresh_token)))
  assert.deepEqual(
    (await Promise.all(used)).map(({ status }) => status),
    [200, 200, 200],
  )
  assert.ok(met.times > 0)
  await server.close()
})
