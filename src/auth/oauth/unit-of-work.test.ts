import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createGrant, touchGrant } from './grants.ts'
import { OAuthUnitOfWork } from './unit-of-work.ts'

const grantsOf = unscopedQuery((db, $: { application_id: string }) =>
  db.selectFrom('grants').select('id').where('application_id', '=', $.application_id),
)

const createRecord = (kind: string, hash: string, grant_id: string) => ({
  kind,
  hash,
  grant_id,
  parent_hash: null,
  session_id: null,
  payload: '{}',
  used_at: null,
  ended: 0,
  expires_at: '2126-11-20T00:00:00.000Z',
  repeated_at: null,
  used_from: null,
})

for (const engine of ENGINES) {
  test(`detects a second use of a code even if the transaction is retried (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team)
    const grantFields = { workspace_id: team.workspace, user_id: team.people.member, scopes: [] }
    const grant_id = await docket.storage.write(ANONYMOUS_ACTOR, (tx) =>
      createGrant(tx, { ...grantFields, application_id: app.id }),
    )
    // Runs every write twice, as after a deadlock or a failure of another write in the same group
    // commit.
    const retryingStorage: Storage = {
      ...docket.storage,
      async write(actor, work) {
        await docket.storage.dryRun(actor, work)
        return docket.storage.write(actor, work)
      },
    }
    const code = `code of ${grant_id}`
    const issuing = new OAuthUnitOfWork(null)
    issuing.newRecords.push(createRecord('AuthorizationCode', code, grant_id))
    assert.deepEqual(
      [await issuing.commit(retryingStorage), issuing.hasRevokedAccess],
      ['done', false],
    )
    const exchange = () => {
      const unit = new OAuthUnitOfWork(null)
      unit.consumedToken = {
        kind: 'AuthorizationCode',
        value: '',
        hash: code,
        grant_id,
        isPublicClient: true,
      }
      unit.newRecords.push(createRecord('AccessToken', crypto.randomUUID(), grant_id))
      return unit
    }
    const [first, second] = [exchange(), exchange()]
    assert.deepEqual([await first.commit(retryingStorage), first.hasRevokedAccess], ['done', false])
    assert.deepEqual(
      [await second.commit(retryingStorage), second.hasRevokedAccess],
      ['spent', true],
    )
    const third = exchange()
    assert.deepEqual(
      [await third.commit(retryingStorage), third.hasRevokedAccess],
      ['spent', false],
    )
  })
}

// On SQLite all writes are serialized anyway.
test('token refreshes and last-use writes that share commits do not deadlock', async () => {
  const docket = await openTestDocket('postgres')
  const team = await createTestWorkspace(docket.storage)
  const app = await createTestApplication(docket, team)
  const { tokensFor, refresh } = createOAuthClient(docket, team, app)
  let tokens: string[] = []
  for (let at = 0; at < 20; at += 1) tokens.push((await tokensFor('member')).refresh_token)
  const grants = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(grantsOf, { application_id: app.id }),
  )
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  let attempts = 0
  const touch = ({ id }: { id: string }) =>
    docket.storage.write(actor, (tx) => {
      attempts += 1
      return tx.run(touchGrant, { id, at: tx.now })
    })
  for (let round = 0; round < 5; round += 1) {
    const refreshes = tokens.map((token) => refresh(token))
    await new Promise(setImmediate)
    await Promise.all([...grants, ...grants.toReversed()].map(touch))
    tokens = (await Promise.all(refreshes)).map(({ status, body, text }) => {
      assert.equal(status, 200, text)
      return String(body.refresh_token)
    })
  }
  // After a deadlock the whole group would be retried, which would raise this number.
  assert.equal(attempts, 5 * 2 * 20)
})
