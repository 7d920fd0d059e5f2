import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { queryOfAll } from '#storage/statement.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { client, newApp } from '#test/support/oauth.ts'
import { allow, touchGrant } from './grants.ts'
import { Unit } from './unit.ts'

const grantsOf = queryOfAll((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('id').where('application_id', '=', $.application_id),
)

const recordOf = (kind: string, hash: string, grant_id: string) => ({
  ...{ kind, hash, grant_id, parent_hash: null, session_id: null, payload: '{}' },
  ...{ used_at: null, ended: 0, expires_at: '2126-11-20T00:00:00.000Z' },
})

for (const engine of ENGINES) {
  test(`a second use is told however often its transaction has to be tried (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home)
    const of = { workspace_id: home.workspace, user_id: home.people.member, scopes: [] }
    const grant_id = await docket.storage.write(NOBODY, (tx) =>
      allow(tx, { ...of, application_id: app.id }),
    )
    // As when another write of the same group fails, or in a deadlock: done, taken back, done again.
    const twice: Storage = {
      ...docket.storage,
      async write(actor, work) {
        await docket.storage.rehearse(actor, work)
        return docket.storage.write(actor, work)
      },
    }
    const code = `code of ${grant_id}`
    const given = new Unit(null)
    given.saved.push(recordOf('AuthorizationCode', code, grant_id))
    assert.deepEqual([await given.commit(twice), given.ended], ['done', false])
    const exchange = () => {
      const unit = new Unit(null)
      unit.used = { kind: 'AuthorizationCode', hash: code, grant_id }
      unit.saved.push(recordOf('AccessToken', crypto.randomUUID(), grant_id))
      return unit
    }
    const [first, second] = [exchange(), exchange()]
    assert.deepEqual([await first.commit(twice), first.ended], ['done', false])
    assert.deepEqual([await second.commit(twice), second.ended], ['spent', true])
    const late = exchange()
    assert.deepEqual([await late.commit(twice), late.ended], ['spent', false])
  })
}

// SQLite does all that is written one after the other by itself.
test('renewals and notes of last use that share commits do not wait for each other', async () => {
  const docket = await docketOn('postgres')
  const home = await newHome(docket.storage)
  const app = await newApp(docket, home)
  const { tokensFor, refresh } = client(docket, home, app)
  let tokens: string[] = []
  for (let at = 0; at < 20; at += 1) tokens.push((await tokensFor('member')).refresh_token)
  const grants = await docket.storage.read(NOBODY, (tx) =>
    tx.all(grantsOf, { application_id: app.id }),
  )
  const within = { ...NOBODY, workspace_id: home.workspace }
  let tries = 0
  const touch = ({ id }: { id: string }) =>
    docket.storage.write(within, (tx) => {
      tries += 1
      return tx.run(touchGrant, { id, at: tx.now })
    })
  for (let round = 0; round < 5; round += 1) {
    const renewed = tokens.map((token) => refresh(token))
    await new Promise(setImmediate)
    await Promise.all([...grants, ...grants.toReversed()].map(touch))
    tokens = (await Promise.all(renewed)).map(({ status, body, text }) => {
      assert.equal(status, 200, text)
      return String(body.refresh_token)
    })
  }
  // After a deadlock all of a group is tried again.
  assert.equal(tries, 5 * 2 * 20)
})
