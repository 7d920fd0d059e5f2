import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { join } from '#resources/members/membership.ts'
import { docketOn, ENGINES, withoutWalls } from '../support/engines.ts'
import { byTokens } from '../support/tokens.ts'
import { newTenant, type Probed, probe, ROLES, stateOf, type Tenant } from './tenants.ts'
import { call } from './world/call.ts'
import { serverWith, through } from './world/doctored.ts'
import { SCALE } from './world/size.ts'

/** What is asked of the store about who asks, and noted about it, now and then. */
const OF_CREDENTIALS = /"installation"|"api_keys"|"oauth_records"|^update "(memberships|grants)"/

for (const engine of ENGINES) {
  test(`nobody learns of another workspace, by any route (${engine})`, async (t) => {
    const served = await docketOn(engine, withoutWalls(engine))
    let statements = 0
    const storage = through(served.storage, (text) => {
      if (!OF_CREDENTIALS.test(text.sql)) statements += 1
      return text
    })
    const server = await serverWith(served, { storage })
    const tenants: Tenant[] = []
    for (const letter of ['A', 'B', 'C']) tenants.push(await newTenant(served, letter))
    const sum: Probed = { probes: 0, leaks: [] }
    const pairs = tenants.flatMap((asker) =>
      tenants.filter((other) => other !== asker).map((stranger) => [asker, stranger] as const),
    )
    for (const [at, [one, stranger]] of (SCALE > 1 ? pairs : pairs.slice(0, 2)).entries()) {
      // Every other asks with access tokens.
      const asker = at % 2 === 0 ? one : { ...one, home: await byTokens(served, one.home) }
      const before = await stateOf(served, stranger)
      for (const role of ROLES) {
        const { probes, leaks } = await probe(
          server,
          engine,
          asker,
          stranger,
          role,
          () => statements,
        )
        sum.probes += probes
        sum.leaks.push(...leaks)
      }
      assert.deepEqual(await stateOf(served, stranger), before)
    }
    t.diagnostic(`${sum.probes} probes`)
    assert.deepEqual(sum.leaks, [])
    assert.ok(sum.probes >= 1_800)
  })

  test(`what a person allowed in one workspace opens no other of that person's (${engine})`, async () => {
    const served = await docketOn(engine, withoutWalls(engine))
    const [a, b] = [await newTenant(served, 'A'), await newTenant(served, 'B')]
    await served.storage.write({ ...NOBODY, workspace_id: b.home.workspace }, (tx) =>
      join(tx, { user_id: a.home.people.owner, name: 'The owner', role: 'owner' }),
    )
    const asker = { ...a, home: await byTokens(served, a.home) }
    const { probes, leaks } = await probe(served.server, engine, asker, b, 'owner')
    assert.deepEqual(leaks, [])
    assert.ok(probes >= 200)
  })

  test(`a short id names the task of one's own workspace (${engine})`, async () => {
    const served = await docketOn(engine, withoutWalls(engine))
    const [a, b] = [await newTenant(served, 'A'), await newTenant(served, 'B')]
    for (const { home, mark } of [a, b]) {
      const asking = { method: 'GET', url: '/api/v1/tasks/eng-1' }
      const { status, text } = await call(served.server, home.keys.owner, asking)
      assert.equal(status, 200)
      assert.ok(text.includes(mark))
    }
  })

  test(`a loader that forgets the workspace is found out (${engine})`, async () => {
    const served = await docketOn(engine, withoutWalls(engine))
    const forgetful = through(served.storage, ({ sql, values }) => {
      const loader = / from "tags" inner join "projects" .* where .*"tags"."id" = /s.test(sql)
      const free = sql.replace(/("tags"\."workspace_id" = (\?|\$\d+))/, '($1 or 1 = 1)')
      return { sql: loader ? free : sql, values }
    })
    const server = await serverWith(served, { storage: forgetful })
    const [a, b] = [await newTenant(served, 'A'), await newTenant(served, 'B')]
    const asker = { ...a, home: await byTokens(served, a.home) }
    const { leaks } = await probe(server, engine, asker, b, 'owner')
    assert.match(
      leaks.join('\n'),
      /GET \/api\/v1\/tags\/\S+: shows what belongs to another workspace/,
    )
  })
}
