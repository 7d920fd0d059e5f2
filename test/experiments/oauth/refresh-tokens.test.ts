import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../../support/engines/test-docket.ts'
import {
  createOAuthClient,
  createTestApplication,
  parseTokenReply,
} from '../../support/oauth/oauth-client.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'
import {
  mockDate,
  startDocketOnMockedDate,
  startSecondServer,
  summarizeOAuthReply,
} from './send-requests.ts'

const INVALID_GRANT = '400 invalid_grant'

for (const engine of ENGINES) {
  const setUp = async (options: Parameters<typeof createTestApplication>[2] = {}) => {
    const docket = await startDocketOnMockedDate(engine)
    const home = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, home, options)
    const oauthClient = createOAuthClient(docket, home, app)
    const refreshOk = async (refresh_token: string) => {
      const said = await oauthClient.refresh(refresh_token)
      assert.equal(said.status, 200, said.text)
      return parseTokenReply(said)
    }
    const statusWith = async (token: string) => (await oauthClient.me(token)).status
    return { docket, home, app, refreshOk, statusWith, ...oauthClient }
  }

  test(`answers twenty concurrent refreshes, of which one chain stays valid (${engine})`, async () => {
    for (const type of ['public', 'confidential'] as const) {
      const { tokensFor, refresh, refreshOk, statusWith } = await setUp({ type })
      const first = await tokensFor('member')
      const all = Array.from({ length: 20 }, () => refresh(first.refresh_token))
      const pairs = (await Promise.all(all)).map(parseTokenReply)
      assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 20)
      for (const { access_token } of pairs) assert.equal(await statusWith(access_token), 200)
      const [one, sibling] = [pairs[7], pairs[3]]
      assert.ok(one && sibling)
      const successor = await refreshOk(one.refresh_token)
      const again = await refreshOk(successor.refresh_token)
      assert.equal(await statusWith(again.access_token), 200)
      assert.equal(summarizeOAuthReply(await refresh(sibling.refresh_token)), INVALID_GRANT)
      // The use of an ended token revokes the whole family, including the tokens in use.
      assert.equal(summarizeOAuthReply(await refresh(again.refresh_token)), INVALID_GRANT)
      for (const { access_token } of [first, one, again, sibling]) {
        assert.equal(await statusWith(access_token), 401)
      }
    }
  })

  test(`concurrent refreshes with concurrent successors keep at most one chain (${engine})`, async () => {
    const { tokensFor, refresh, statusWith } = await setUp()
    const first = await tokensFor('member')
    const pairs = await Promise.all([1, 2, 3, 4].map(() => refresh(first.refresh_token)))
    // All four are used at once: the first ends the others, and the use of those revokes the
    // family.
    const all = pairs.map(parseTokenReply)
    const used = await Promise.all(all.map((pair) => refresh(pair.refresh_token)))
    assert.deepEqual(used.map(summarizeOAuthReply).toSorted(), [
      '200',
      INVALID_GRANT,
      INVALID_GRANT,
      INVALID_GRANT,
    ])
    const accepted = used.filter(({ status }) => status === 200).map(parseTokenReply)
    for (const { access_token } of [first, ...all, ...accepted]) {
      assert.equal(await statusWith(access_token), 401)
    }
  })

  test(`a refresh token can be reused for 30 seconds, until its successor is used (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, home, app, tokensFor, refresh, refreshOk, statusWith } = await setUp()
    const secondServer = createOAuthClient(await startSecondServer(docket), home, app)

    // Within that time, also on another server: a lost reply costs nothing.
    const withLostReply = await tokensFor('member')
    await refreshOk(withLostReply.refresh_token)
    passTime({ seconds: 25 })
    const retried = await secondServer.refresh(withLostReply.refresh_token)
    assert.equal(retried.status, 200, retried.text)
    // The time counts from the first use; a second one does not extend it.
    passTime({ seconds: 6 })
    assert.equal(summarizeOAuthReply(await refresh(withLostReply.refresh_token)), INVALID_GRANT)
    assert.equal(
      summarizeOAuthReply(await refresh(parseTokenReply(retried).refresh_token)),
      INVALID_GRANT,
    )
    assert.equal(await statusWith(withLostReply.access_token), 401)

    // Within that time, but after the use of its successor: somebody else has the token.
    const stolen = await tokensFor('member')
    const thief = await refreshOk(stolen.refresh_token)
    const later = await refreshOk(thief.refresh_token)
    assert.equal(
      summarizeOAuthReply(await secondServer.refresh(stolen.refresh_token)),
      INVALID_GRANT,
    )
    assert.equal(summarizeOAuthReply(await refresh(later.refresh_token)), INVALID_GRANT)
    assert.equal(await statusWith(later.access_token), 401)

    // A token of an older generation, at once and much later. Another grant stays valid.
    for (const days of [0, 3]) {
      const chain = [await tokensFor('member')]
      const other = await tokensFor('member')
      for (let at = 0; at < 4; at += 1)
        chain.push(await refreshOk(chain.at(-1)?.refresh_token ?? ''))
      passTime({ days })
      assert.equal(
        summarizeOAuthReply(await secondServer.refresh(chain[1]?.refresh_token ?? '')),
        INVALID_GRANT,
      )
      assert.equal(
        summarizeOAuthReply(await refresh(chain.at(-1)?.refresh_token ?? '')),
        INVALID_GRANT,
      )
      assert.equal(await statusWith(chain.at(-1)?.access_token ?? ''), 401)
      assert.equal((await refresh(other.refresh_token)).status, 200)
    }
  })

  test(`a refresh can narrow the scope of one access token, but not widen it (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, home, tokensFor, refresh, me, post } = await setUp()
    const scope = 'tags:read tasks:read tasks:write'
    const first = await tokensFor('member', { scope })
    const narrow = await refresh(first.refresh_token, { scope: 'tasks:read' })
    assert.equal(narrow.body.scope, 'tasks:read')
    const { body } = await me(parseTokenReply(narrow).access_token)
    assert.deepEqual(body.credential.scopes, ['tasks:read'])
    const reply = await docket.server.inject({
      method: 'POST',
      url: '/api/v1/tasks',
      headers: { authorization: `Bearer ${parseTokenReply(narrow).access_token}` },
      payload: { project_id: home.project, title: 'x' },
    })
    assert.deepEqual([reply.statusCode, reply.json().error.code], [403, 'insufficient_scope'])
    let latest = parseTokenReply(narrow)
    for (const wider of ['tasks:delete', `${scope} tasks:delete`, 'webhooks:write tasks:read']) {
      const said = await refresh(latest.refresh_token, { scope: wider })
      assert.equal(summarizeOAuthReply(said), '400 invalid_scope', wider)
    }
    const withOtherResource = await refresh(latest.refresh_token, {
      resource: 'https://evil.example',
    })
    assert.equal(summarizeOAuthReply(withOtherResource), '400 invalid_target')
    passTime({ seconds: 31 })
    // Refused refreshes consume nothing, and the next token has the original scope again.
    latest = parseTokenReply(await refresh(latest.refresh_token))
    assert.equal(latest.scope, scope)
    const introspection = await post('/oauth/introspect', { token: latest.refresh_token })
    assert.deepEqual([introspection.body.active, introspection.body.scope], [true, scope])
  })

  test(`another client cannot use a refresh token (${engine})`, async () => {
    const { docket, home, tokensFor, refresh, statusWith } = await setUp({ type: 'confidential' })
    const first = await tokensFor('member')
    for (const type of ['public', 'confidential'] as const) {
      const other = createOAuthClient(
        docket,
        home,
        await createTestApplication(docket, home, { type }),
      )
      assert.equal(summarizeOAuthReply(await other.refresh(first.refresh_token)), INVALID_GRANT)
    }
    const second = parseTokenReply(await refresh(first.refresh_token))
    // Another client cannot revoke the family with a used token either.
    const other = createOAuthClient(docket, home, await createTestApplication(docket, home))
    await refresh(second.refresh_token)
    for (const token of [first, second]) {
      assert.equal(summarizeOAuthReply(await other.refresh(token.refresh_token)), INVALID_GRANT)
    }
    assert.equal(await statusWith(second.access_token), 200)
    for (const token of [second.access_token, '\0', 'drt_', 'x'.repeat(8_192), '']) {
      assert.equal((await refresh(token)).status, 400)
    }
    assert.equal((await refresh(second.refresh_token)).status, 200)
  })
}

for (const engine of ENGINES) {
  test(`access tokens expire after an hour, refresh tokens after 30 unused days or a year (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const docket = await startDocketOnMockedDate(engine)
    const home = await createTestWorkspace(docket.storage)
    const { tokensFor, refresh, me, post } = createOAuthClient(
      docket,
      home,
      await createTestApplication(docket, home),
    )
    const [used, idle] = [await tokensFor('member'), await tokensFor('member')]
    passTime({ seconds: 3_590 })
    assert.equal((await me(used.access_token)).status, 200)
    passTime({ seconds: 20 })
    const over = await me(used.access_token)
    assert.deepEqual([over.status, over.body.error.code], [401, 'token_expired'])
    const introspection = await post('/oauth/introspect', { token: used.access_token })
    assert.deepEqual(introspection.body, { active: false })

    let { refresh_token } = used
    const refreshAfter = async (days: number) => {
      passTime({ days })
      const said = await refresh(refresh_token)
      if (said.status === 200) refresh_token = parseTokenReply(said).refresh_token
      return summarizeOAuthReply(said)
    }
    assert.equal(await refreshAfter(29), '200')
    passTime({ days: 1 })
    assert.equal(summarizeOAuthReply(await refresh(idle.refresh_token)), INVALID_GRANT)
    assert.equal(await refreshAfter(28), '200')
    for (let month = 3; month <= 12; month += 1) assert.equal(await refreshAfter(29), '200')
    // After 348 days the last token is valid for the rest of the year.
    const last = await post('/oauth/introspect', { token: refresh_token })
    assert.equal(last.body.active, true)
    assert.ok(Number(last.body.exp) * 1_000 - Date.now() < 17 * 86_400_000)
    assert.equal(await refreshAfter(15), '200')
    assert.equal(await refreshAfter(3), INVALID_GRANT)
  })
}
