import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES } from '#wire/scopes.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome, newKeyOf } from '../support/home.ts'
import { eventsOf } from '../support/scenario.ts'
import { tokensOf } from '../support/tokens.ts'
import { checkingFirst, essence, faultsOfRace, race } from './idempotency.ts'
import { call, made, outcomeOf } from './world/call.ts'
import { serverWith } from './world/doctored.ts'
import { scaled } from './world/size.ts'

for (const engine of ENGINES) {
  test(`a hundred who race under one key have one effect, and one answer (${engine})`, async () => {
    const served = await docketOn(engine)
    const home = await newHome(served.storage)
    for (let round = 0; round < scaled(4); round++) {
      assert.deepEqual(await faultsOfRace(served, home, 100), [])
    }
  })

  test(`a key that is looked up before its turn is found out (${engine})`, async () => {
    const served = await docketOn(engine)
    const home = await newHome(served.storage)
    const server = await serverWith(served, { storage: checkingFirst(served.storage) })
    const faults = await faultsOfRace({ ...served, server }, home, 100)
    assert.match(faults.join(), /\d{2,} events/)
  })

  test(`of two bodies under one key one is done, and the other refused (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const racers = Array.from({ length: 60 }, (_, at) => ({
      key: home.keys.owner,
      title: `Title ${at % 2}`,
    }))
    const replies = await race(server, home.project, racers)
    const won = replies.filter(({ status }) => status === 201)
    const lost = replies.filter(({ status }) => status !== 201)
    assert.deepEqual([won.length, new Set(won.map(essence)).size], [30, 1])
    assert.deepEqual(new Set(lost.map(outcomeOf)), new Set(['422 idempotency_key_reused']))
    assert.equal((await eventsOf(storage, home.workspace)).length, 1)
  })

  test(`a key belongs to workspace, person and credential (${engine})`, async () => {
    const docket = await docketOn(engine)
    const { storage, server } = docket
    const [home, other] = [await newHome(storage), await newHome(storage)]
    const second = await newKeyOf(storage, home, 'owner', SCOPES)
    const [byOne, byOther] = [await tokensOf(docket, home), await tokensOf(docket, home)]
    const tokens = [await byOne('owner'), await byOther('owner')]
    // A token that was refreshed is the same credential: of these six two are one.
    const keys = [home.keys.owner, home.keys.member, second, ...tokens, await byOne('owner')]
    const racers = Array.from({ length: 60 }, (_, at) => ({
      key: keys[at % 6] ?? '',
      title: 'Own',
    }))
    const replies = await race(server, home.project, racers)
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(replies.map(essence)).size, 5)
    assert.equal(new Set([3, 5].map((at) => replies[at]?.text)).size, 1)
    assert.equal((await eventsOf(storage, home.workspace)).length, 5)
    const headers = { 'idempotency-key': 'shared' }
    const inside = async ({ keys, project }: typeof home) =>
      call(server, keys.owner, {
        method: 'POST',
        url: '/api/v1/tasks',
        body: { project_id: project, title: 'Elsewhere' },
        headers,
      })
    const [here, there] = await Promise.all([inside(home), inside(other)])
    assert.deepEqual([here.status, there.status], [201, 201])
    assert.notEqual(here.text, there.text)
  })

  test(`a deletion is answered again after the record is gone, a refusal is not kept (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const { owner } = home.keys
    const tags = { method: 'POST', url: `/api/v1/projects/${home.project}/tags` }
    const tag = await made(server, owner, { ...tags, body: { name: 'Old' } })
    const headers = { 'idempotency-key': 'gone' }
    const removal = { method: 'DELETE', url: `/api/v1/tags/${tag.id}`, headers }
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call(server, owner, removal)),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([204]))
    assert.equal((await call(server, owner, removal)).headers['idempotency-replayed'], 'true')
    const { headers: _, ...again } = removal
    assert.equal((await call(server, owner, again)).status, 404)

    const bad = { ...tags, headers: { 'idempotency-key': 'first-bad' } }
    assert.equal((await call(server, owner, { ...bad, body: { name: '' } })).status, 422)
    const mended = await call(server, owner, { ...bad, body: { name: 'New' } })
    assert.deepEqual([mended.status, mended.headers['idempotency-replayed']], [201, undefined])
  })
}
