import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import { queryOfAll } from '#storage/statement.ts'
import { docketOn } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { client, newApp, newPkce } from '#test/support/oauth.ts'
import { sessionOf } from '#test/support/session.ts'

const grantsOf = queryOfAll((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('user_id').where('application_id', '=', $.application_id),
)

// SQLite does all that is written one after the other by itself.
test('who is being removed allows nothing that would outlast it', async () => {
  const docket = await docketOn('postgres')
  const home = await newHome(docket.storage)
  const app = await newApp(docket, home)
  const { ask, decide } = client(docket, home, app)
  const member = await sessionOf(docket.storage, home, 'member', docket.config.baseUrl)
  const asked = await ask({ code_challenge: newPkce().challenge }, member)
  const [removed, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const within = { ...NOBODY, role: 'owner', workspace_id: home.workspace } as const
  const removal = docket.storage.write(within, async (tx) => {
    await removeMember(tx, home.people.member)
    removed.resolve()
    await gate.promise
  })
  await removed.promise
  const decision = decide(asked.uid, member, asked.cookies)
  // Time for a decision that would not wait for the removal.
  await pause(300)
  gate.resolve()
  await removal
  assert.equal((await decision).status, 422)
  const left = await docket.storage.read(NOBODY, (tx) =>
    tx.all(grantsOf, { application_id: app.id }),
  )
  assert.deepEqual(left, [])
})
