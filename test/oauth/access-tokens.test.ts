import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#wire/rights.ts'
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

  test(`an application acts for its user, and counts for the workspace (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const app = await createTestApplication(docket, team, { name: 'Robot' })
    const { access_token } = await createOAuthClient(docket, team, app).tokensFor('member', {
      scope: 'tasks:read tasks:write comments:write',
    })
    const send = async (credential: string, line: string, payload?: object) => {
      const [method = '', url = ''] = line.split(' ')
      const headers = { authorization: `Bearer ${credential}` }
      const request = { method: method as 'GET', url, headers }
      return docket.server.inject({ ...request, ...(payload && { payload }) })
    }
    const task = { project_id: team.project, title: 'By an application' }
    const first = await send(access_token, 'POST /api/v1/tasks', task)
    assert.equal(first.statusCode, 201, first.body)
    const made = first.json()
    assert.equal(made.created_by_id, team.people.member)
    const line = `POST /api/v1/tasks/${made.id}/comments`
    const comment = await send(access_token, line, { body: 'Done' })
    assert.equal(comment.json().source, 'app', comment.body)
    const { data } = (await send(team.keys.owner, 'GET /api/v1/events?type=task.created')).json()
    const event = data.find((one: { data: { id: string } }) => one.data.id === made.id)
    assert.deepEqual(event.actor, {
      type: 'app',
      user_id: team.people.member,
      credential_id: app.id,
      name: event.actor.name,
    })
    const readRemaining = async (credential: string) => {
      const { headers } = await send(credential, 'GET /api/v1/me')
      return [Number(headers['x-ratelimit-remaining']), headers['x-ratelimit-reset']] as const
    }
    for (let tries = 0; tries < 2; tries += 1) {
      const [before, minute] = await readRemaining(team.keys.owner)
      const [between] = await readRemaining(access_token)
      const [after, end] = await readRemaining(team.keys.owner)
      if (end === minute) assert.deepEqual([between, after], [before - 1, before - 2])
      if (end === minute) break
    }
  })

  test(`accepts nothing that only resembles an access token (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const oauthClient = createOAuthClient(docket, team, await createTestApplication(docket, team))
    const { access_token, refresh_token } = await oauthClient.tokensFor('member')
    assert.equal((await oauthClient.me(access_token)).status, 200)
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
