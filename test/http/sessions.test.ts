import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { beginSession } from '#identity/sessions.ts'
import { commandOfAll } from '#storage/statement.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { at, scenario } from '../support/scenario.ts'
import { sessionOf } from '../support/session.ts'

scenario('who is signed in uses the same API, in the same role, by the cookie', [
  {
    send: 'GET /api/v1/me',
    as: 'admin session',
    status: 200,
    reply: {
      user: { id: '{admin}', role: 'admin' },
      workspace: { id: '{workspace}' },
      credential: { type: 'session', name: null },
    },
    replyHeaders: { 'x-ratelimit-limit': '1000000', 'access-control-allow-credentials': null },
    check: ({ body }) => {
      assert.match(at(body, 'credential.id'), /^ses_/)
      assert.match(at(body, 'credential.expires_at'), /Z$/)
    },
  },
  {
    send: 'POST /api/v1/tasks',
    as: 'member session',
    body: { project_id: '{project}', title: 'From the browser' },
    status: 201,
    events: [
      { type: 'task.created', actor: { type: 'user', user_id: '{member}', credential_id: null } },
    ],
    keep: { task: 'id' },
  },
  {
    send: 'POST /api/v1/tasks/{task}/comments',
    as: 'session',
    body: { body: 'Seen' },
    status: 201,
    reply: { source: 'web' },
    events: ['comment.created'],
  },
  { send: 'GET /api/v1/webhooks', as: 'guest session', status: 403 },
  {
    send: 'GET /api/v1/me',
    as: 'nobody',
    headers: { cookie: `docket_session=${'x'.repeat(43)}` },
    status: 401,
    reply: { error: { code: 'authentication_required' } },
  },
])

const changeSession = commandOfAll((db, $: { id: string; used: string; expires: string }) =>
  db
    .updateTable('sessions')
    .set({ last_used_at: $.used, expires_at: $.expires })
    .where('id', '=', $.id),
)

for (const engine of ENGINES) {
  test(`a write by cookie must come from Docket's own pages, a read need not (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const { cookie, origin } = (await sessionOf(storage, home, 'owner')).headers
    const write = async (headers: Record<string, string>) => {
      const task = { project_id: home.project, title: 'Forged' }
      const sent = { 'content-type': 'application/json', cookie, ...headers }
      const reply = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks?dry_run=true',
        headers: sent,
        payload: JSON.stringify(task),
      })
      assert.equal('x-ratelimit-limit' in reply.headers, reply.statusCode === 201)
      return [reply.statusCode, reply.json().error?.code]
    }
    const taken = [201, undefined]
    const refused = [403, 'csrf_rejected']
    for (const [headers, outcome] of [
      [{ origin }, taken],
      [{ 'sec-fetch-site': 'same-origin' }, taken],
      [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4000' }, taken],
      [{}, refused],
      [{ origin: 'null' }, refused],
      [{ origin: `${origin}.evil.example` }, refused],
      [{ origin: 'http://127.0.0.1:4001' }, refused],
      [{ 'sec-fetch-site': 'same-site', origin }, refused],
      [{ 'sec-fetch-site': 'cross-site', origin }, refused],
      [{ 'sec-fetch-site': 'none', origin }, refused],
      [{ 'sec-fetch-site': '', origin }, refused],
    ] as const) {
      assert.deepEqual(await write(headers), outcome, JSON.stringify(headers))
    }
    assert.deepEqual(await write({ authorization: `Bearer ${home.keys.owner}` }), taken)
    const url = '/api/v1/me'
    const read = await server.inject({ url, headers: { cookie, 'sec-fetch-site': 'cross-site' } })
    assert.equal(read.statusCode, 200)
    const both = { cookie, authorization: 'Bearer dkt_wrong' }
    assert.equal((await server.inject({ url, headers: both })).json().error.code, 'invalid_token')
    const empty = { cookie, authorization: '' }
    assert.equal((await server.inject({ url, headers: empty })).statusCode, 401)
    const tossed = { cookie: `docket_session=${'x'.repeat(43)}; ${cookie}` }
    assert.equal((await server.inject({ url, headers: tossed })).statusCode, 401)
  })

  test(`a session ends when it was long unused, and after a month (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const hours = (many: number) => new Date(Date.now() + many * 3_600_000).toISOString()
    const status = async (used: string, expires: string) => {
      // Another one each time: what is known of one that was shown is believed for a moment.
      const { id, headers } = await sessionOf(storage, home, 'member')
      await storage.write(NOBODY, async (tx) => {
        await tx.run(changeSession, { id, used, expires })
        await advanceGeneration(tx)
      })
      return (await server.inject({ url: '/api/v1/me', headers })).statusCode
    }
    assert.equal(await status(hours(-7 * 24 + 1), hours(1)), 200)
    assert.equal(await status(hours(-7 * 24 - 1), hours(1)), 401)
    assert.equal(await status(hours(-1), hours(-1)), 401)
  })

  test(`the key of a write holds for the person's next session too (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const post = async () => {
      const { headers } = await sessionOf(storage, home, 'owner')
      const reply = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'once' },
        payload: JSON.stringify({ project_id: home.project, title: 'Once' }),
      })
      return [reply.statusCode, reply.headers['idempotency-replayed'], reply.json().id]
    }
    const [status, replayed, id] = await post()
    assert.deepEqual([status, replayed], [201, undefined])
    assert.deepEqual(await post(), [201, 'true', id])
  })
}

test('over https the cookie has the name that browsers guard, and no other is taken', async () => {
  const { storage, server } = await docketOn('sqlite', {
    DOCKET_BASE_URL: 'https://docket.example.com',
  })
  const { people, workspace } = await newHome(storage)
  const wanted = { user_id: people.owner, workspace_id: workspace, user_agent: '' }
  const { value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
  const status = async (cookie: string) =>
    (await server.inject({ url: '/api/v1/me', headers: { cookie } })).statusCode
  assert.equal(await status(`__Host-session=${value}`), 200)
  assert.equal(await status(`docket_session=${value}`), 401)
})
