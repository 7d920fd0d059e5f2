import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import {
  createOAuthClient,
  createTestApplication,
  parseTokenReply,
} from '../support/oauth/oauth-client.ts'
import { readAuditEntriesSince } from '../support/scenario/expected-audit-entries.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import {
  mockDate,
  startDocketOnMockedDate,
  startSecondServer,
  summarizeOAuthReply,
} from './send-requests.ts'

const INVALID_GRANT = '400 invalid_grant'

const securityEmails = unscopedQuery((db, $: { in_workspace: string }) =>
  db
    .selectFrom('jobs')
    .select('payload')
    .where('workspace_id', '=', $.in_workspace)
    .where('kind', '=', 'security_email'),
)

for (const engine of ENGINES) {
  const setUp = async (
    options: Parameters<typeof createTestApplication>[2] = {},
    env: Record<string, string> = {},
  ) => {
    const docket = await startDocketOnMockedDate(engine, env)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team, options)
    const oauthClient = createOAuthClient(docket, team, app)
    const refreshOk = async (refresh_token: string) => {
      const said = await oauthClient.refresh(refresh_token)
      assert.equal(said.status, 200, said.text)
      return parseTokenReply(said)
    }
    const statusWith = async (token: string) => (await oauthClient.me(token)).status
    return { docket, team, app, refreshOk, statusWith, ...oauthClient }
  }

  test(`gives each of twenty processes that refresh at once a pair, and keeps one branch (${engine})`, async (t) => {
    mockDate(t)
    const { tokensFor, refresh, refreshOk, statusWith } = await setUp({ type: 'confidential' })
    const first = await tokensFor('member')
    const all = Array.from({ length: 20 }, () => refresh(first.refresh_token))
    const pairs = (await Promise.all(all)).map(parseTokenReply)
    assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 20)
    for (const { access_token } of pairs) assert.equal(await statusWith(access_token), 200)
    // All of them go on at once: one does, and the others are just refused.
    const used = await Promise.all(pairs.map((pair) => refresh(pair.refresh_token)))
    assert.deepEqual(used.map(summarizeOAuthReply).toSorted(), [
      '200',
      ...Array.from({ length: 19 }, () => INVALID_GRANT),
    ])
    const [branch] = used.filter(({ status }) => status === 200).map(parseTokenReply)
    const again = await refreshOk(branch?.refresh_token ?? '')
    for (const { access_token } of [first, ...pairs, again]) {
      assert.equal(await statusWith(access_token), 200)
    }
  })

  test(`gives twenty processes of a public application the same successor (${engine})`, async () => {
    const { tokensFor, refresh, refreshOk, statusWith } = await setUp()
    const first = await tokensFor('member')
    const all = Array.from({ length: 20 }, () => refresh(first.refresh_token))
    const pairs = (await Promise.all(all)).map(parseTokenReply)
    assert.equal(new Set(pairs.map((pair) => pair.refresh_token)).size, 1)
    assert.equal(new Set(pairs.map((pair) => pair.access_token)).size, 20)
    for (const { access_token } of pairs) assert.equal(await statusWith(access_token), 200)
    assert.notEqual(pairs[0]?.refresh_token, first.refresh_token)
    const successors = await Promise.all(pairs.map((pair) => refreshOk(pair.refresh_token)))
    assert.equal(new Set(successors.map((pair) => pair.refresh_token)).size, 1)
  })

  test(`a lost race is refused, and theft ends the authorization (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, app, tokensFor, refresh, refreshOk, statusWith } = await setUp({
      type: 'confidential',
    })
    const secondServer = createOAuthClient(await startSecondServer(docket), team, app)
    const isRefused = async (token: string, client = { refresh }) =>
      assert.equal(summarizeOAuthReply(await client.refresh(token)), INVALID_GRANT)

    // A lost reply costs nothing for half a minute after the first use, also on another server.
    const withLostReply = await tokensFor('member')
    await refreshOk(withLostReply.refresh_token)
    passTime({ seconds: 25 })
    const retried = await secondServer.refresh(withLostReply.refresh_token)
    assert.equal(retried.status, 200, retried.text)
    passTime({ seconds: 6 })
    await isRefused(withLostReply.refresh_token)
    await isRefused(parseTokenReply(retried).refresh_token)
    assert.equal(await statusWith(withLostReply.access_token), 401)

    // Processes that lose a race are refused, at once and an hour later. The others stay signed in.
    const raced = await tokensFor('member')
    const [winner, loser, sleeper] = await Promise.all(
      [0, 1, 2].map(() => refreshOk(raced.refresh_token)),
    )
    assert.ok(winner && loser && sleeper)
    const next = await refreshOk(winner.refresh_token)
    await isRefused(raced.refresh_token)
    await isRefused(loser.refresh_token)
    passTime({ seconds: 3_600 })
    const last = await refreshOk(next.refresh_token)
    await isRefused(sleeper.refresh_token, secondServer)
    await isRefused(sleeper.refresh_token)
    await isRefused(loser.refresh_token)
    assert.equal(await statusWith(last.access_token), 200)
    // Two branches go on being used: one of them is of somebody else.
    passTime({ seconds: 60 })
    const beforeTheft = await refreshOk(last.refresh_token)
    await isRefused(sleeper.refresh_token)
    await isRefused(beforeTheft.refresh_token)
    assert.equal(await statusWith(beforeTheft.access_token), 401)
  })

  for (const type of ['public', 'confidential'] as const) {
    test(`a replaced refresh token ends the authorization of a ${type} application after its window (${engine})`, async (t) => {
      const passTime = mockDate(t)
      const { docket, team, app, tokensFor, refresh, refreshOk, statusWith } = await setUp({ type })
      const secondServer = createOAuthClient(await startSecondServer(docket), team, app)
      const window = type === 'public' ? 3_600 : 30
      for (const [age, outcome] of [
        [window - 1, '200'],
        [window, INVALID_GRANT],
        [3 * 86_400, INVALID_GRANT],
      ] as const) {
        const [first, other] = [await tokensFor('member'), await tokensFor('member')]
        const second = await refreshOk(first.refresh_token)
        passTime({ seconds: age })
        assert.equal(
          summarizeOAuthReply(await secondServer.refresh(first.refresh_token)),
          outcome,
          `after ${age} s`,
        )
        assert.equal(summarizeOAuthReply(await refresh(second.refresh_token)), outcome)
        assert.equal((await refresh(other.refresh_token)).status, 200)
      }
      // A token of an older generation.
      const chain = [await tokensFor('member')]
      for (let at = 0; at < 4; at += 1) {
        chain.push(await refreshOk(chain.at(-1)?.refresh_token ?? ''))
      }
      passTime({ seconds: window })
      const newest = await refreshOk(chain.at(-1)?.refresh_token ?? '')
      assert.equal(
        summarizeOAuthReply(await secondServer.refresh(chain[1]?.refresh_token ?? '')),
        INVALID_GRANT,
      )
      assert.equal(summarizeOAuthReply(await refresh(newest.refresh_token)), INVALID_GRANT)
      assert.equal(await statusWith(newest.access_token), 401)
    })
  }

  test(`a public application gets the same successor for an hour, also after its use (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, app, tokensFor, refreshOk } = await setUp()
    const secondServer = createOAuthClient(await startSecondServer(docket), team, app)
    const first = await tokensFor('member')
    const second = await refreshOk(first.refresh_token)
    passTime({ seconds: 1_800 })
    const third = await refreshOk(second.refresh_token)
    passTime({ seconds: 1_799 })
    const late = await secondServer.refresh(first.refresh_token)
    assert.equal(parseTokenReply(late).refresh_token, second.refresh_token)
    const caughtUp = await refreshOk(second.refresh_token)
    assert.equal(caughtUp.refresh_token, third.refresh_token)
  })

  test(`the third repeat from another network in a day ends an authorization (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const mail = { DOCKET_SMTP_URL: 'smtp://127.0.0.1:9', DOCKET_MAIL_FROM: 'docket@example.com' }
    const { docket, team, app, tokensFor, refreshOk, statusWith } = await setUp({}, mail)
    const elsewhere = createOAuthClient(docket, team, app)
    const carry = async (token: string) => parseTokenReply(await elsewhere.refresh(token))
    const first = await tokensFor('member')
    let second = await refreshOk(first.refresh_token)
    // A laptop that is carried from one network to another, twice a day.
    for (let day = 0; day < 2; day += 1) {
      for (let time = 0; time < 2; time += 1) {
        const token = second.refresh_token
        second = await refreshOk(token)
        assert.equal((await carry(token)).refresh_token, second.refresh_token)
        // Repeats in one network count for nothing.
        for (let repeat = 0; repeat < 3; repeat += 1) await refreshOk(token)
      }
      passTime({ days: 1, seconds: 1 })
    }
    const token = second.refresh_token
    second = await refreshOk(token)
    for (let repeat = 0; repeat < 2; repeat += 1) await carry(token)
    assert.equal(summarizeOAuthReply(await elsewhere.refresh(token)), INVALID_GRANT)
    assert.equal(await statusWith(second.access_token), 401)
    assert.equal(summarizeOAuthReply(await elsewhere.refresh(second.refresh_token)), INVALID_GRANT)
    const entries = await readAuditEntriesSince(docket.storage, { [team.workspace]: 0 }, new Set())
    assert.deepEqual(entries.map(({ action }) => action).slice(-2), [
      'grant.refresh_shared',
      'grant.ended',
    ])
    const emails = await docket.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(securityEmails, { in_workspace: team.workspace }),
    )
    assert.deepEqual(
      emails
        .map(({ payload }) => JSON.parse(payload))
        .filter((one) => one.change !== 'application_authorized')
        .map(({ user_id, change }) => [user_id, change]),
      [[team.people.member, 'refresh_token_shared']],
    )
  })

  test(`the audit log has each repeated refresh once, and theft (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, tokensFor, refresh, refreshOk } = await setUp({ type: 'confidential' })
    const entries = async () =>
      (await readAuditEntriesSince(docket.storage, { [team.workspace]: 0 }, new Set()))
        .map(({ action }) => action)
        .filter((action) => action.startsWith('grant.'))
    const first = await tokensFor('member')
    const [winner, loser] = [
      await refreshOk(first.refresh_token),
      await refreshOk(first.refresh_token),
    ]
    await refreshOk(first.refresh_token)
    const expected = ['grant.created', 'grant.refresh_repeated']
    assert.deepEqual(await entries(), expected)
    passTime({ seconds: 31 })
    const next = await refreshOk(winner.refresh_token)
    for (let at = 0; at < 3; at += 1) await refresh(loser.refresh_token)
    expected.push('grant.branch_refused')
    assert.deepEqual(await entries(), expected)
    passTime({ seconds: 1 })
    await refreshOk(next.refresh_token)
    await refresh(loser.refresh_token)
    expected.push('grant.refresh_reused', 'grant.ended')
    assert.deepEqual(await entries(), expected)
  })

  test(`a refresh can narrow the scope of one access token, but not widen it (${engine})`, async (t) => {
    const passTime = mockDate(t)
    const { docket, team, tokensFor, refresh, me, post } = await setUp()
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
      payload: { project_id: team.project, title: 'x' },
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
    const { docket, team, tokensFor, refresh, statusWith } = await setUp({ type: 'confidential' })
    const first = await tokensFor('member')
    for (const type of ['public', 'confidential'] as const) {
      const other = createOAuthClient(
        docket,
        team,
        await createTestApplication(docket, team, { type }),
      )
      assert.equal(summarizeOAuthReply(await other.refresh(first.refresh_token)), INVALID_GRANT)
    }
    const second = parseTokenReply(await refresh(first.refresh_token))
    // Another client cannot revoke the family with a used token either.
    const other = createOAuthClient(docket, team, await createTestApplication(docket, team))
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
    const team = await createTestWorkspace(docket.storage)
    const { tokensFor, refresh, me, post } = createOAuthClient(
      docket,
      team,
      await createTestApplication(docket, team),
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
