import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query } from '#db/core/statement.ts'
import { createMembership, removeMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createCookieClient } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createProfileChangeJob } from './change-member-profile.ts'

const profileJobs = query((db) =>
  db
    .selectFrom('jobs')
    .select(['id', 'payload'])
    .where('kind', '=', 'profile_change')
    .orderBy('id'),
)

for (const engine of ENGINES) {
  test(`a new name is an event in every workspace of the person, once (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const { workspace: other } = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'guest')
    const actor = { ...ANONYMOUS_ACTOR, role: 'owner' as const, workspace_id: other }
    const { guest: user_id } = team.people
    await storage.write(actor, (tx) => createMembership(tx, { user_id, name: 'G', role: 'admin' }))
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    await client.send('PATCH /internal/session', { workspace_id: team.workspace })
    for (const body of [{ name: 'Grace' }, { timezone: 'Asia/Tokyo' }, { locale: 'de' }])
      assert.equal((await client.send('PATCH /internal/account', body)).status, 200)
    const payloads = async (workspace: string) =>
      (await readEvents(storage, workspace)).map(({ payload }) => JSON.parse(payload))
    const [here, ...more] = await payloads(team.workspace)
    assert.deepEqual(more, [])
    const change = { name: { from: 'The guest', to: 'Grace' } }
    assert.deepEqual([here.type, here.changes], ['member.updated', change])

    const jobs = await storage.read(actor, (tx) => tx.all(profileJobs, {}))
    assert.equal(jobs.length, 1, 'only a name, an email address or a picture is an event')
    assert.doesNotMatch(jobs[0]?.payload ?? '', /Grace|guest/)
    const run = async () => {
      for (const { id, payload } of await storage.read(actor, (tx) => tx.all(profileJobs, {}))) {
        await createProfileChangeJob(storage).run({
          job: {
            workspace_id: other,
            id,
            payload: JSON.parse(payload),
            secret: undefined,
            attempts: 1,
          },
          signal: new AbortController().signal,
          setProgress() {},
          write: (work, as = actor) => storage.write(as, work),
        })
      }
    }
    // The second run is that of a process that follows one which was killed.
    for (const time of ['first', 'second']) {
      await run()
      const [there, ...others] = await payloads(other)
      assert.deepEqual(others, [], time)
      assert.deepEqual([there.type, there.changes, there.data.role], [here.type, change, 'admin'])
      assert.deepEqual(there.actor, { type: 'user', user_id, name: 'Grace', credential_id: null })
    }
    await client.send('PATCH /internal/account', { name: 'Gone' })
    await storage.write(actor, (tx) => removeMember(tx, user_id))
    await run()
    const types = (await payloads(other)).map(({ type }) => type)
    assert.deepEqual(types, ['member.updated', 'member.removed'])
  })
}
