import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { removeMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const grantsOf = unscopedQuery((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('user_id').where('application_id', '=', $.application_id),
)

const ownConnection = unscopedQuery((db) =>
  db.selectNoFrom(sql<number>`pg_backend_pid()`.as('pid')),
)

/** How many connections wait for a lock of another. */
const countWaiting = unscopedQuery((db, $: { pid: number }) =>
  db.selectNoFrom(
    sql<number>`(select count(*)::int from pg_stat_activity
      where ${$.pid} = any(pg_blocking_pids(pid)))`.as('count'),
  ),
)

// On SQLite all writes are serialized anyway.
if (ENGINES.includes('postgres')) {
  test('a member who is being removed cannot authorize an application any more', async () => {
    const docket = await openTestDocket('postgres')
    // Within one process, the decision would wait for the removal before it reaches the database.
    const otherProcess = await openTestDocket('postgres', {
      DOCKET_OPERATOR_EMAIL: 'other@example.com',
    })
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const { ask, decide } = createOAuthClient(docket, team, app)
    const member = await createTestSession(docket.storage, team, 'member', docket.config.baseUrl)
    const request = await ask({ code_challenge: createPkce().challenge }, member)
    const [removed, release] = [
      Promise.withResolvers<number | undefined>(),
      Promise.withResolvers<void>(),
    ]
    const actor = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: team.workspace } as const
    const removal = otherProcess.storage.write(actor, async (tx) => {
      await removeMember(tx, team.people.member)
      removed.resolve((await tx.one(ownConnection, {}))?.pid)
      await release.promise
    })
    const pid = await removed.promise
    assert.ok(pid)
    let isDecided = false
    const decision = decide(request.uid, member, request.cookies).finally(() => {
      isDecided = true
    })
    await waitUntil('the decision to end or to wait for the removal', async () => {
      const waiting = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
        tx.one(countWaiting, { pid }),
      )
      return isDecided || (waiting?.count ?? 0) > 0
    })
    release.resolve()
    await removal
    // The removal has ended the session, too: 422 if that is found when the user should confirm.
    const { status } = await decision
    assert.ok([401, 422].includes(status), `${status}`)
    const grants = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(grantsOf, { application_id: app.id }),
    )
    assert.deepEqual(grants, [])
  })
}
