import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { newApp } from '#test/support/oauth.ts'
import { allow } from './grants.ts'
import { Unit } from './unit.ts'

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
