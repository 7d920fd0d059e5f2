import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES } from '#wire/scopes.ts'
import { callApi, callApiForJson, summarizeReply } from '../support/api/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTokenIssuer } from '../support/oauth/access-tokens.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createScopedKey, createTestWorkspace } from '../support/world/test-workspace.ts'
import { findRaceFaults, raceUnderOneKey, serializeReplay } from './idempotency.ts'

for (const engine of ENGINES) {
  test(`a hundred concurrent requests with one key have one effect and one reply (${engine})`, async () => {
    const served = await openTestDocket(engine)
    const team = await createTestWorkspace(served.storage)
    assert.deepEqual(await findRaceFaults(served, team, 100), [])
  })

  test(`of two bodies with one key, one takes effect and the other is refused (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const racers = Array.from({ length: 60 }, (_, at) => ({
      key: team.keys.owner,
      title: `Title ${at % 2}`,
    }))
    const replies = await raceUnderOneKey(server, team.project, racers)
    const accepted = replies.filter(({ status }) => status === 201)
    const refused = replies.filter(({ status }) => status !== 201)
    assert.deepEqual([accepted.length, new Set(accepted.map(serializeReplay)).size], [30, 1])
    assert.deepEqual(new Set(refused.map(summarizeReply)), new Set(['422 idempotency_key_reused']))
    assert.equal((await readEvents(storage, team.workspace)).length, 1)
  })

  test(`a key is separate for each workspace, user and credential (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { storage, server } = docket
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const second = await createScopedKey(storage, team, 'owner', SCOPES)
    const [byOne, byOther] = [
      await createTokenIssuer(docket, team),
      await createTokenIssuer(docket, team),
    ]
    const tokens = [await byOne('owner'), await byOther('owner')]
    // A refreshed token is the same credential, so two of these six share a key.
    const keys = [team.keys.owner, team.keys.member, second, ...tokens, await byOne('owner')]
    const racers = Array.from({ length: 60 }, (_, at) => ({
      key: keys[at % 6] ?? '',
      title: 'Own',
    }))
    const replies = await raceUnderOneKey(server, team.project, racers)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(replies.map(serializeReplay)).size, 5)
    assert.equal(new Set([3, 5].map((at) => replies[at]?.text)).size, 1)
    assert.equal((await readEvents(storage, team.workspace)).length, 5)
    const headers = { 'idempotency-key': 'shared' }
    const createIn = async ({ keys, project }: typeof team) =>
      callApi(server, keys.owner, {
        method: 'POST',
        url: '/api/v1/tasks',
        body: { project_id: project, title: 'Elsewhere' },
        headers,
      })
    const [ownReply, otherReply] = await Promise.all([createIn(team), createIn(other)])
    assert.deepEqual([ownReply.status, otherReply.status], [201, 201])
    assert.notEqual(ownReply.text, otherReply.text)
  })

  test(`replays a deletion after the record is gone, and stores no errors (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const { owner } = team.keys
    const tags = { method: 'POST', url: `/api/v1/projects/${team.project}/tags` }
    const tag = await callApiForJson(server, owner, { ...tags, body: { name: 'Old' } })
    const headers = { 'idempotency-key': 'gone' }
    const removal = { method: 'DELETE', url: `/api/v1/tags/${tag.id}`, headers }
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => callApi(server, owner, removal)),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([204]))
    assert.equal((await callApi(server, owner, removal)).headers['idempotency-replayed'], 'true')
    const { headers: _, ...again } = removal
    assert.equal((await callApi(server, owner, again)).status, 404)

    const bad = { ...tags, headers: { 'idempotency-key': 'first-bad' } }
    assert.equal((await callApi(server, owner, { ...bad, body: { name: '' } })).status, 422)
    const corrected = await callApi(server, owner, { ...bad, body: { name: 'New' } })
    assert.deepEqual(
      [corrected.status, corrected.headers['idempotency-replayed']],
      [201, undefined],
    )
  })
}
