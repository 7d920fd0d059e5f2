import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createMembership } from '#resources/members/membership.ts'
import { callApi } from '../support/api/call-api.ts'
import { createServerVariant, rewriteStatements } from '../support/api/rewrite-statements.ts'
import { ENGINES, openTestDocket, withoutRowLevelSecurity } from '../support/engines/test-docket.ts'
import { withAccessTokens } from '../support/oauth/access-tokens.ts'
import { ALL_ROLES } from './roles.ts'
import { createTenant, probeTenant, readTenantRecords, type TenantProbeResult } from './tenants.ts'

/** Statements of authentication. They run only now and then, so they do not count. */
const AUTHENTICATION_SQL =
  /"installation"|"api_keys"|"oauth_records"|^update "(memberships|grants)"/

for (const engine of ENGINES) {
  test(`no route reveals anything of another workspace (${engine})`, async (t) => {
    const served = await openTestDocket(engine, withoutRowLevelSecurity(engine))
    let statements = 0
    const storage = rewriteStatements(served.storage, (text) => {
      if (!AUTHENTICATION_SQL.test(text.sql)) statements += 1
      return text
    })
    const server = await createServerVariant(served, { storage })
    const one = await createTenant(served, 'A')
    const byTokens = { ...one, team: await withAccessTokens(served, one.team) }
    // An engine makes no difference to credentials.
    const askers = engine === 'sqlite' ? [one, byTokens] : [byTokens]
    const total: TenantProbeResult = { probes: 0, leaks: [] }
    for (const asker of askers) {
      const stranger = await createTenant(served, `B${askers.indexOf(asker)}`)
      const before = await readTenantRecords(served, stranger)
      for (const role of ALL_ROLES) {
        const { probes, leaks } = await probeTenant(
          server,
          engine,
          asker,
          stranger,
          role,
          () => statements,
        )
        total.probes += probes
        total.leaks.push(...leaks)
      }
      assert.deepEqual(await readTenantRecords(served, stranger), before)
    }
    t.diagnostic(`${total.probes} probes`)
    assert.deepEqual(total.leaks, [])
    assert.ok(total.probes >= 900 * askers.length)
  })

  test(`an access token is valid for one workspace of its user only (${engine})`, async () => {
    const served = await openTestDocket(engine, withoutRowLevelSecurity(engine))
    const [a, b] = [await createTenant(served, 'A'), await createTenant(served, 'B')]
    await served.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: b.team.workspace }, (tx) =>
      createMembership(tx, { user_id: a.team.people.owner, name: 'The owner', role: 'owner' }),
    )
    const asker = { ...a, team: await withAccessTokens(served, a.team) }
    const { probes, leaks } = await probeTenant(served.server, engine, asker, b, 'owner')
    assert.deepEqual(leaks, [])
    assert.ok(probes >= 200)
  })

  test(`a short id finds the task of the own workspace (${engine})`, async () => {
    const served = await openTestDocket(engine, withoutRowLevelSecurity(engine))
    const [a, b] = [await createTenant(served, 'A'), await createTenant(served, 'B')]
    for (const { team, mark } of [a, b]) {
      const asking = { method: 'GET', url: '/api/v1/tasks/eng-1' }
      const { status, text } = await callApi(served.server, team.keys.owner, asking)
      assert.equal(status, 200)
      assert.ok(text.includes(mark))
    }
  })
}
