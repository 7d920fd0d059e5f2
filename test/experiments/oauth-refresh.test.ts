import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { client, newApp, tokensIn } from '../support/oauth.ts'
import { beside, docketInTime, stoppedTime, wordOf } from './oauth.ts'

const refused = '400 invalid_grant'

for (const engine of ENGINES) {
  const setUp = async (wanted: Parameters<typeof newApp>[2] = {}) => {
    const docket = await docketInTime(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home, wanted)
    const own = client(docket, home, app)
    const next = async (refresh_token: string) => {
      const said = await own.refresh(refresh_token)
      assert.equal(said.status, 200, said.text)
      return tokensIn(said)
    }
    const meWith = async (token: string) => (await own.me(token)).status
    return { docket, home, app, next, meWith, ...own }
  }

  test(`of twenty who refresh at once all are answered, and one goes on (${engine})`, async () => {
    for (const type of ['public', 'confidential'] as const) {
      const { tokensFor, refresh, next, meWith } = await setUp({ type })
      const first = await tokensFor('member')
      const all = Array.from({ length: 20 }, () => refresh(first.refresh_token))
      const pairs = (await Promise.all(all)).map(tokensIn)
      assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 20)
      for (const { access_token } of pairs) assert.equal(await meWith(access_token), 200)
      const [one, sibling] = [pairs[7], pairs[3]]
      assert.ok(one && sibling)
      const successor = await next(one.refresh_token)
      const again = await next(successor.refresh_token)
      assert.equal(await meWith(again.access_token), 200)
      assert.equal(wordOf(await refresh(sibling.refresh_token)), refused)
      // What was used after it had ended takes all with it, what is in use included.
      assert.equal(wordOf(await refresh(again.refresh_token)), refused)
      for (const { access_token } of [first, one, again, sibling]) {
        assert.equal(await meWith(access_token), 401)
      }
    }
  })

  test(`who refreshes in parallel with parallel successors keeps one chain at most (${engine})`, async () => {
    const { tokensFor, refresh, meWith } = await setUp()
    const first = await tokensFor('member')
    const pairs = await Promise.all([1, 2, 3, 4].map(() => refresh(first.refresh_token)))
    // All four are used at once: the first ends the others, whose use ends them all.
    const all = pairs.map(tokensIn)
    const used = await Promise.all(all.map((pair) => refresh(pair.refresh_token)))
    assert.deepEqual(used.map(wordOf).toSorted(), ['200', refused, refused, refused])
    const given = used.filter(({ status }) => status === 200).map(tokensIn)
    for (const { access_token } of [first, ...all, ...given]) {
      assert.equal(await meWith(access_token), 401)
    }
  })

  test(`a refresh token may come again for half a minute, until its successor is used (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const { docket, home, app, tokensFor, refresh, next, meWith } = await setUp()
    const there = client(await beside(docket), home, app)

    // Within the time, and by another server: a lost reply costs nothing.
    const lost = await tokensFor('member')
    await next(lost.refresh_token)
    pass({ seconds: 25 })
    const found = await there.refresh(lost.refresh_token)
    assert.equal(found.status, 200, found.text)
    // The time is counted from the first use: a second does not begin it anew.
    pass({ seconds: 6 })
    assert.equal(wordOf(await refresh(lost.refresh_token)), refused)
    assert.equal(wordOf(await refresh(tokensIn(found).refresh_token)), refused)
    assert.equal(await meWith(lost.access_token), 401)

    // Within the time, but its successor was used: by then somebody else has it.
    const stolen = await tokensFor('member')
    const thief = await next(stolen.refresh_token)
    const later = await next(thief.refresh_token)
    assert.equal(wordOf(await there.refresh(stolen.refresh_token)), refused)
    assert.equal(wordOf(await refresh(later.refresh_token)), refused)
    assert.equal(await meWith(later.access_token), 401)

    // Of an older generation, at once and much later; another authorization goes on.
    for (const days of [0, 3]) {
      const chain = [await tokensFor('member')]
      const other = await tokensFor('member')
      for (let at = 0; at < 4; at += 1) chain.push(await next(chain.at(-1)?.refresh_token ?? ''))
      pass({ days })
      assert.equal(wordOf(await there.refresh(chain[1]?.refresh_token ?? '')), refused)
      assert.equal(wordOf(await refresh(chain.at(-1)?.refresh_token ?? '')), refused)
      assert.equal(await meWith(chain.at(-1)?.access_token ?? ''), 401)
      assert.equal((await refresh(other.refresh_token)).status, 200)
    }
  })

  test(`a refresh narrows one access token, and widens nothing (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const { docket, home, tokensFor, refresh, me, post } = await setUp()
    const scope = 'tags:read tasks:read tasks:write'
    const first = await tokensFor('member', { scope })
    const narrow = await refresh(first.refresh_token, { scope: 'tasks:read' })
    assert.equal(narrow.body.scope, 'tasks:read')
    const { body } = await me(tokensIn(narrow).access_token)
    assert.deepEqual(body.credential.scopes, ['tasks:read'])
    const reply = await docket.server.inject({
      method: 'POST',
      url: '/api/v1/tasks',
      headers: { authorization: `Bearer ${tokensIn(narrow).access_token}` },
      payload: { project_id: home.project, title: 'x' },
    })
    assert.deepEqual([reply.statusCode, reply.json().error.code], [403, 'insufficient_scope'])
    let latest = tokensIn(narrow)
    for (const wider of ['tasks:delete', `${scope} tasks:delete`, 'webhooks:write tasks:read']) {
      const said = await refresh(latest.refresh_token, { scope: wider })
      assert.equal(wordOf(said), '400 invalid_scope', wider)
    }
    const elsewhere = await refresh(latest.refresh_token, { resource: 'https://evil.example' })
    assert.equal(wordOf(elsewhere), '400 invalid_target')
    pass({ seconds: 31 })
    // What was refused has used nothing up, and the next one may do what was allowed in the beginning.
    latest = tokensIn(await refresh(latest.refresh_token))
    assert.equal(latest.scope, scope)
    const told = await post('/oauth/introspect', { token: latest.refresh_token })
    assert.deepEqual([told.body.active, told.body.scope], [true, scope])
  })

  test(`a refresh token is worth nothing to another client (${engine})`, async () => {
    const { docket, home, tokensFor, refresh, meWith } = await setUp({ type: 'confidential' })
    const first = await tokensFor('member')
    for (const type of ['public', 'confidential'] as const) {
      const other = client(docket, home, await newApp(docket, home, { type }))
      assert.equal(wordOf(await other.refresh(first.refresh_token)), refused)
    }
    const second = tokensIn(await refresh(first.refresh_token))
    // Nor is one that was used: nobody ends what others were allowed.
    const other = client(docket, home, await newApp(docket, home))
    await refresh(second.refresh_token)
    for (const token of [first, second]) {
      assert.equal(wordOf(await other.refresh(token.refresh_token)), refused)
    }
    assert.equal(await meWith(second.access_token), 200)
    for (const token of [second.access_token, '\0', 'drt_', 'x'.repeat(8_192), '']) {
      assert.equal((await refresh(token)).status, 400)
    }
    assert.equal((await refresh(second.refresh_token)).status, 200)
  })
}

for (const engine of ENGINES) {
  test(`tokens end: by the hour, by a month without use, by the year (${engine})`, async (t) => {
    const pass = stoppedTime(t)
    const docket = await docketInTime(engine)
    const home = await newHome(docket.storage)
    const { tokensFor, refresh, me, post } = client(docket, home, await newApp(docket, home))
    const [used, idle] = [await tokensFor('member'), await tokensFor('member')]
    pass({ seconds: 3_590 })
    assert.equal((await me(used.access_token)).status, 200)
    pass({ seconds: 20 })
    const over = await me(used.access_token)
    assert.deepEqual([over.status, over.body.error.code], [401, 'token_expired'])
    const told = await post('/oauth/introspect', { token: used.access_token })
    assert.deepEqual(told.body, { active: false })

    let { refresh_token } = used
    const step = async (days: number) => {
      pass({ days })
      const said = await refresh(refresh_token)
      if (said.status === 200) refresh_token = tokensIn(said).refresh_token
      return wordOf(said)
    }
    assert.equal(await step(29), '200')
    pass({ days: 1 })
    assert.equal(wordOf(await refresh(idle.refresh_token)), refused)
    assert.equal(await step(28), '200')
    for (let month = 3; month <= 12; month += 1) assert.equal(await step(29), '200')
    // 348 days are over: the last token lasts for what is left of the year.
    const last = await post('/oauth/introspect', { token: refresh_token })
    assert.equal(last.body.active, true)
    assert.ok(Number(last.body.exp) * 1_000 - Date.now() < 17 * 86_400_000)
    assert.equal(await step(15), '200')
    assert.equal(await step(3), refused)
  })
}
