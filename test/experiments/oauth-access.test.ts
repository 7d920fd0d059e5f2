import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { client, newApp } from '../support/oauth.ts'
import { sessionOf } from '../support/session.ts'
import { until } from '../support/until.ts'
import { beside } from './oauth.ts'

/** What another process needs at most to notice (contract 4). */

interface Change {
  name: string
  /** In the name of whom, and what. */
  by: Role
  line: string
  body?: object
  /** Whether the person who allowed it is in another workspace than the application. */
  elsewhere?: boolean
  outcome: string
}

const CHANGES: readonly Change[] = [
  {
    ...{ name: 'the role of the person shrinks', by: 'owner' },
    ...{ line: 'PATCH /internal/members/{person}', body: { role: 'member' } },
    outcome: '403 insufficient_role',
  },
  {
    ...{ name: 'the person is removed', by: 'owner', line: 'DELETE /internal/members/{person}' },
    outcome: '401 invalid_token',
  },
  {
    ...{ name: 'the application is deleted', by: 'owner', line: 'DELETE /internal/apps/{app}' },
    outcome: '401 invalid_token',
  },
  {
    ...{
      name: 'the application may ask for less',
      by: 'owner',
      line: 'PATCH /internal/apps/{app}',
    },
    ...{ body: { scopes: ['tasks:read'] }, outcome: '403 insufficient_scope' },
  },
  {
    ...{ name: 'the person ends it', by: 'admin', line: 'DELETE /internal/grants/{grant}' },
    outcome: '401 invalid_token',
  },
  {
    ...{ name: 'the application becomes private', by: 'owner', elsewhere: true },
    ...{ line: 'PATCH /internal/apps/{app}', body: { distribution: 'private' } },
    outcome: '401 invalid_token',
  },
]

/** Asks for what only admins see. */
async function ask({ server }: Served, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await server.inject({ url: '/api/v1/webhooks', headers })
  return reply.statusCode === 200 ? '200' : `${reply.statusCode} ${reply.json().error.code}`
}

async function internal(docket: Served, home: Home, role: Role, line: string, payload?: object) {
  const [method = '', url = ''] = line.split(' ')
  const { headers } = await sessionOf(docket.storage, home, role, docket.config.baseUrl)
  const asked = { method: method as 'GET', url, headers }
  const reply = await docket.server.inject({ ...asked, ...(payload && { payload }) })
  assert.ok(reply.statusCode < 300, `${line}: ${reply.statusCode} ${reply.body}`)
  return reply.body === '' ? {} : reply.json()
}

for (const engine of ENGINES) {
  test(`what is taken away is gone with the next request, elsewhere within a second (${engine})`, async () => {
    const docket = await docketOn(engine)
    const other = await beside(docket)
    for (const { name, by, line, body, elsewhere = false, outcome } of CHANGES) {
      const home = await newHome(docket.storage)
      const abroad = elsewhere ? await newHome(docket.storage) : home
      const app = await newApp(docket, home, { distribution: elsewhere ? 'public' : 'private' })
      const own = client(docket, abroad, app)
      const scope = 'webhooks:read tasks:read'
      const tokens = await own.tokensFor('admin', { scope })
      // Another authorization, of another person: it goes on where the application does.
      const kept = await client(docket, home, app).tokensFor('owner', { scope })
      for (const server of [docket, other]) {
        for (const token of [tokens, kept])
          assert.equal(await ask(server, token.access_token), '200')
      }
      const { data } = await internal(docket, abroad, 'admin', 'GET /internal/grants')
      const ids = { person: home.people.admin, app: app.id, grant: data[0].id }
      const path = line.replace(/\{(\w+)\}/, (_, noun) => Object(ids)[noun])
      await internal(docket, home, by, path, body)
      assert.equal(await ask(docket, tokens.access_token), outcome, name)
      const isOver = async () => (await ask(other, tokens.access_token)) === outcome
      await until(`${name}, elsewhere`, isOver)
      const goesOn = line.includes('/apps/') && !elsewhere ? outcome : '200'
      assert.equal(await ask(docket, kept.access_token), goesOn, name)

      const hasEnded = outcome.startsWith('401')
      const told = await own.post('/oauth/introspect', { token: tokens.access_token })
      const isGone = line.startsWith('DELETE /internal/apps')
      assert.deepEqual(
        [told.status, told.body.active],
        [isGone ? 401 : 200, isGone ? undefined : !hasEnded],
        name,
      )
      assert.equal((await own.refresh(tokens.refresh_token)).status === 200, !hasEnded, name)
    }
  })

  test(`an application acts in the name of its person, within the limits of both (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const app = await newApp(docket, home, { name: 'Robot' })
    const own = client(docket, home, app)
    const tokens = await own.tokensFor('member', { scope: 'tasks:read tasks:write comments:write' })
    const send = async (credential: string, line: string, payload?: object, more = {}) => {
      const [method = '', url = ''] = line.split(' ')
      const headers = { authorization: `Bearer ${credential}`, ...more }
      const asked = { method: method as 'GET', url, headers }
      return docket.server.inject({ ...asked, ...(payload && { payload }) })
    }
    const title = 'By an application'
    const task = { project_id: home.project, title }
    const once = { 'idempotency-key': 'the-same-for-all' }
    const first = await send(tokens.access_token, 'POST /api/v1/tasks', task, once)
    assert.equal(first.statusCode, 201, first.body)
    const made = first.json()
    assert.equal(made.created_by_id, home.people.member)
    const said = { body: 'Done' }
    const comment = await send(tokens.access_token, `POST /api/v1/tasks/${made.id}/comments`, said)
    assert.equal(comment.json().source, 'app', comment.body)

    // A later token of the application repeats the request; a key of the same person makes another.
    const { body } = await own.refresh(tokens.refresh_token)
    const again = await send(String(body.access_token), 'POST /api/v1/tasks', task, once)
    assert.deepEqual([again.json().id, again.headers['idempotency-replayed']], [made.id, 'true'])
    const keyed = await send(home.keys.member, 'POST /api/v1/tasks', task, once)
    assert.notEqual(keyed.json().id, made.id)
    const third = client(docket, home, await newApp(docket, home))
    const others = await third.tokensFor('member', { scope: 'tasks:write' })
    const other = await send(others.access_token, 'POST /api/v1/tasks', task, once)
    assert.equal(other.statusCode, 201)
    assert.ok(![made.id, keyed.json().id].includes(other.json().id))

    const { data } = (await send(home.keys.owner, 'GET /api/v1/events?type=task.created')).json()
    const event = data.find((one: { data: { id: string } }) => one.data.id === made.id)
    assert.deepEqual(event.actor, {
      ...{ type: 'app', user_id: home.people.member, credential_id: app.id },
      name: event.actor.name,
    })

    // Both count for the workspace; what the scope, the role and the workspace do not allow is refused.
    const left = async (credential: string) => {
      const { headers } = await send(credential, 'GET /api/v1/me')
      return [Number(headers['x-ratelimit-remaining']), headers['x-ratelimit-reset']] as const
    }
    for (let tries = 0; tries < 2; tries += 1) {
      const [before, minute] = await left(home.keys.owner)
      const [between] = await left(tokens.access_token)
      const [after, end] = await left(home.keys.owner)
      if (end === minute) assert.deepEqual([between, after], [before - 1, before - 2])
      if (end === minute) break
    }
    const strangers = await newHome(docket.storage)
    const words = []
    for (const line of [
      `GET /api/v1/projects/${home.project}/tags`,
      `DELETE /api/v1/tasks/${made.id}`,
      `GET /api/v1/projects/${home.project}/tasks`,
      `GET /api/v1/projects/${home.hidden}/tasks`,
      `GET /api/v1/projects/${strangers.project}/tasks`,
      'GET /internal/session',
      'GET /internal/grants',
      'POST /internal/api-keys',
    ]) {
      const reply = await send(tokens.access_token, line)
      words.push([line.split('/').at(-1), reply.statusCode, reply.json().error?.code])
    }
    assert.deepEqual(
      words.map(([, status, code]) => `${status} ${code}`),
      [
        ...['403 insufficient_scope', '403 insufficient_scope', '200 undefined', '404 not_found'],
        ...['404 not_found', '403 session_required', '403 session_required'],
        '403 session_required',
      ],
    )
  })

  test(`a token is taken from the header alone, and only for what it is (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const own = client(docket, home, await newApp(docket, home))
    const { access_token, refresh_token } = await own.tokensFor('member')
    assert.equal((await own.me(access_token)).status, 200)
    const inBody = { method: 'POST', url: '/api/v1/tasks', payload: { access_token } } as const
    for (const asked of [
      { url: `/api/v1/me?access_token=${access_token}` },
      { url: `/api/v1/me?token=${access_token}` },
      { url: '/api/v1/me', headers: { cookie: `access_token=${access_token}` } },
      { url: '/api/v1/me', headers: { 'x-access-token': access_token } },
      { url: '/api/v1/me', headers: { authorization: access_token } },
      { url: '/api/v1/me', headers: { authorization: `Basic ${access_token}` } },
      inBody,
    ]) {
      const reply = await docket.server.inject(asked)
      assert.deepEqual(
        [reply.statusCode, reply.json().error.code],
        [401, 'authentication_required'],
      )
      assert.match(String(reply.headers['www-authenticate']), /^Bearer/)
    }
    const { code } = await own.codeFor('member')
    for (const token of [
      ...[refresh_token, code, `${access_token}x`, access_token.slice(0, -1)],
      ...[access_token.toLowerCase(), access_token.replace('dat_', 'dkt_'), `${access_token}%00`],
      ...[access_token.replace('dat_', 'drt_'), refresh_token.replace('drt_', 'dat_')],
    ]) {
      const { status, body } = await own.me(token)
      assert.deepEqual([status, body.error.code], [401, 'invalid_token'], token)
    }
  })
}
