import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { removeMember } from '#resources/members/membership.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import {
  createOAuthClient,
  createPkce,
  createTestApplication,
} from '#test/support/oauth/oauth-client.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const grantsOf = unscopedQuery((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('user_id').where('application_id', '=', $.application_id),
)

// On SQLite all writes are serialized anyway.
test('a member who is being removed cannot authorize an application any more', async () => {
  const docket = await openTestDocket('postgres')
  const home = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, home)
  const { ask, decide } = createOAuthClient(docket, home, app)
  const member = await createTestSession(docket.storage, home, 'member', docket.config.baseUrl)
  const request = await ask({ code_challenge: createPkce().challenge }, member)
  const [removed, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const actor = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: home.workspace } as const
  const removal = docket.storage.write(actor, async (tx) => {
    await removeMember(tx, home.people.member)
    removed.resolve()
    await release.promise
  })
  await removed.promise
  const decision = decide(request.uid, member, request.cookies)
  // Gives a decision that does not wait for the removal the time to finish.
  await pause(300)
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
