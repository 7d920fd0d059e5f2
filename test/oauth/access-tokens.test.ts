import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { startSecondServer } from './send-requests.ts'

/** A change that takes access away from an application. */
interface AccessChange {
  name: string
  /** Who makes the request; undefined for the application itself, which revokes a token. */
  by: Role | undefined
  line: string
  body?: object
  /** Whether the application was allowed in another workspace than its own. */
  isForeign?: boolean
  outcome: string
}

const ACCESS_CHANGES: readonly AccessChange[] = [
  {
    name: 'the role of the person shrinks',
    by: 'owner',
    line: 'PATCH /internal/members/{person}',
    body: { role: 'member' },
    outcome: '403 insufficient_role',
  },
  {
    name: 'the person is removed',
    by: 'owner',
    line: 'DELETE /internal/members/{person}',
    outcome: '401 invalid_token',
  },
  {
    name: 'the application is deleted',
    by: 'owner',
    line: 'DELETE /internal/apps/{app}',
    outcome: '401 invalid_token',
  },
  {
    name: 'the application may ask for less',
    by: 'owner',
    line: 'PATCH /internal/apps/{app}',
    body: { scopes: ['tasks:read'] },
    outcome: '403 insufficient_scope',
  },
  {
    name: 'the person ends it',
    by: 'admin',
    line: 'DELETE /internal/grants/{grant}',
    outcome: '401 invalid_token',
  },
  {
    name: 'the application revokes its token',
    by: undefined,
    line: 'POST /oauth/revoke',
    outcome: '401 invalid_token',
  },
  {
    name: 'the application becomes private',
    by: 'owner',
    isForeign: true,
    line: 'PATCH /internal/apps/{app}',
    body: { distribution: 'private' },
    outcome: '401 invalid_token',
  },
]

/** Requests what only admins may see. */
async function listWebhooks({ server }: TestDocket, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await server.inject({ url: '/api/v1/webhooks', headers })
  return reply.statusCode === 200 ? '200' : `${reply.statusCode} ${reply.json().error.code}`
}

async function callInternal(
  docket: TestDocket,
  team: TestWorkspace,
  role: Role,
  line: string,
  payload?: object,
) {
  const [method = '', url = ''] = line.split(' ')
  const { headers } = await createTestSession(docket.storage, team, role, docket.config.baseUrl)
  const request = { method: method as 'GET', url, headers }
  const reply = await docket.server.inject({ ...request, ...(payload && { payload }) })
  assert.ok(reply.statusCode < 300, `${line}: ${reply.statusCode} ${reply.body}`)
  return reply.body === '' ? {} : reply.json()
}

for (const engine of ENGINES) {
  test(`withdrawn access ends with the next request, and within a second on other servers (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const secondServer = await startSecondServer(docket)
    for (const { name, by, line, body, isForeign = false, outcome } of ACCESS_CHANGES) {
      const team = await createTestWorkspace(docket.storage)
      const userHome = isForeign ? await createTestWorkspace(docket.storage) : team
      const app = await createTestApplication(docket, team, {
        distribution: isForeign ? 'public' : 'private',
      })
      const oauthClient = createOAuthClient(docket, userHome, app)
      const scope = 'webhooks:read tasks:read'
      const tokens = await oauthClient.tokensFor('admin', { scope })
      // A grant of another person stays valid as long as the application does.
      const otherTokens = await createOAuthClient(docket, team, app).tokensFor('owner', { scope })
      for (const server of [docket, secondServer]) {
        for (const token of [tokens, otherTokens])
          assert.equal(await listWebhooks(server, token.access_token), '200')
      }
      const { data } = await callInternal(docket, userHome, 'admin', 'GET /internal/grants')
      const ids = { person: team.people.admin, app: app.id, grant: data[0].id }
      const path = line.replace(/\{(\w+)\}/, (_, noun) => Object(ids)[noun])
      if (by) await callInternal(docket, team, by, path, body)
      else await oauthClient.post('/oauth/revoke', { token: tokens.refresh_token })
      assert.equal(await listWebhooks(docket, tokens.access_token), outcome, name)
      const isOver = async () => (await listWebhooks(secondServer, tokens.access_token)) === outcome
      await waitUntil(`${name}, elsewhere`, isOver)
      const otherOutcome = line.includes('/apps/') && !isForeign ? outcome : '200'
      assert.equal(await listWebhooks(docket, otherTokens.access_token), otherOutcome, name)

      const isRevoked = outcome.startsWith('401')
      const introspection = await oauthClient.post('/oauth/introspect', {
        token: tokens.access_token,
      })
      const isAppDeleted = line.startsWith('DELETE /internal/apps')
      assert.deepEqual(
        [introspection.status, introspection.body.active],
        [isAppDeleted ? 401 : 200, isAppDeleted ? undefined : !isRevoked],
        name,
      )
      assert.equal(
        (await oauthClient.refresh(tokens.refresh_token)).status === 200,
        !isRevoked,
        name,
      )
    }
  })

  test(`an application acts for its user, within the rights and limits of both (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team, { name: 'Robot' })
    const oauthClient = createOAuthClient(docket, team, app)
    const tokens = await oauthClient.tokensFor('member', {
      scope: 'tasks:read tasks:write comments:write',
    })
    const send = async (credential: string, line: string, payload?: object, more = {}) => {
      const [method = '', url = ''] = line.split(' ')
      const headers = { authorization: `Bearer ${credential}`, ...more }
      const request = { method: method as 'GET', url, headers }
      return docket.server.inject({ ...request, ...(payload && { payload }) })
    }
    const title = 'By an application'
    const task = { project_id: team.project, title }
    const sameKey = { 'idempotency-key': 'the-same-for-all' }
    const first = await send(tokens.access_token, 'POST /api/v1/tasks', task, sameKey)
    assert.equal(first.statusCode, 201, first.body)
    const made = first.json()
    assert.equal(made.created_by_id, team.people.member)
    const commentBody = { body: 'Done' }
    const comment = await send(
      tokens.access_token,
      `POST /api/v1/tasks/${made.id}/comments`,
      commentBody,
    )
    assert.equal(comment.json().source, 'app', comment.body)

    // A refreshed token of the application repeats the request; an API key of its user does not.
    const { body } = await oauthClient.refresh(tokens.refresh_token)
    const repeated = await send(String(body.access_token), 'POST /api/v1/tasks', task, sameKey)
    assert.deepEqual(
      [repeated.json().id, repeated.headers['idempotency-replayed']],
      [made.id, 'true'],
    )
    const byApiKey = await send(team.keys.member, 'POST /api/v1/tasks', task, sameKey)
    assert.notEqual(byApiKey.json().id, made.id)
    const third = createOAuthClient(docket, team, await createTestApplication(docket, team))
    const otherTokens = await third.tokensFor('member', { scope: 'tasks:write' })
    const other = await send(otherTokens.access_token, 'POST /api/v1/tasks', task, sameKey)
    assert.equal(other.statusCode, 201)
    assert.ok(![made.id, byApiKey.json().id].includes(other.json().id))

    const { data } = (await send(team.keys.owner, 'GET /api/v1/events?type=task.created')).json()
    const event = data.find((one: { data: { id: string } }) => one.data.id === made.id)
    assert.deepEqual(event.actor, {
      type: 'app',
      user_id: team.people.member,
      credential_id: app.id,
      name: event.actor.name,
    })

    // Both count for the workspace. Scope, role and workspace limit what the token may do.
    const readRemaining = async (credential: string) => {
      const { headers } = await send(credential, 'GET /api/v1/me')
      return [Number(headers['x-ratelimit-remaining']), headers['x-ratelimit-reset']] as const
    }
    for (let tries = 0; tries < 2; tries += 1) {
      const [before, minute] = await readRemaining(team.keys.owner)
      const [between] = await readRemaining(tokens.access_token)
      const [after, end] = await readRemaining(team.keys.owner)
      if (end === minute) assert.deepEqual([between, after], [before - 1, before - 2])
      if (end === minute) break
    }
    const strangers = await createTestWorkspace(docket.storage)
    const outcomes = []
    for (const line of [
      `GET /api/v1/projects/${team.project}/tags`,
      `DELETE /api/v1/tasks/${made.id}`,
      `GET /api/v1/projects/${team.project}/tasks`,
      `GET /api/v1/projects/${team.hidden}/tasks`,
      `GET /api/v1/projects/${strangers.project}/tasks`,
      'GET /internal/session',
      'GET /internal/grants',
      'POST /internal/api-keys',
    ]) {
      const reply = await send(tokens.access_token, line)
      outcomes.push([line.split('/').at(-1), reply.statusCode, reply.json().error?.code])
    }
    assert.deepEqual(
      outcomes.map(([, status, code]) => `${status} ${code}`),
      [
        '403 insufficient_scope',
        '403 insufficient_scope',
        '200 undefined',
        '404 not_found',
        '404 not_found',
        '403 session_required',
        '403 session_required',
        '403 session_required',
      ],
    )
  })

  test(`accepts an access token in the Authorization header only (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const oauthClient = createOAuthClient(docket, team, await createTestApplication(docket, team))
    const { access_token, refresh_token } = await oauthClient.tokensFor('member')
    assert.equal((await oauthClient.me(access_token)).status, 200)
    const inBody = { method: 'POST', url: '/api/v1/tasks', payload: { access_token } } as const
    for (const request of [
      { url: `/api/v1/me?access_token=${access_token}` },
      { url: `/api/v1/me?token=${access_token}` },
      { url: '/api/v1/me', headers: { cookie: `access_token=${access_token}` } },
      { url: '/api/v1/me', headers: { 'x-access-token': access_token } },
      { url: '/api/v1/me', headers: { authorization: access_token } },
      { url: '/api/v1/me', headers: { authorization: `Basic ${access_token}` } },
      inBody,
    ]) {
      const reply = await docket.server.inject(request)
      assert.deepEqual(
        [reply.statusCode, reply.json().error.code],
        [401, 'authentication_required'],
      )
      assert.match(String(reply.headers['www-authenticate']), /^Bearer/)
    }
    const { code } = await oauthClient.codeFor('member')
    for (const token of [
      refresh_token,
      code,
      `${access_token}x`,
      access_token.slice(0, -1),
      access_token.toLowerCase(),
      access_token.replace('dat_', 'dkt_'),
      `${access_token}%00`,
      access_token.replace('dat_', 'drt_'),
      refresh_token.replace('drt_', 'dat_'),
    ]) {
      const { status, body } = await oauthClient.me(token)
      assert.deepEqual([status, body.error.code], [401, 'invalid_token'], token)
    }
  })
}
