import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createAuthenticator } from '#auth/authenticator.ts'
import { purgeOldOperations } from '#jobs/purges.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import {
  ENGINES,
  openTestDocket,
  type TestDocket,
  withoutRowLevelSecurity,
} from '#test/support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { newClientAddress } from '#test/support/world/cookie-client.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'

const DELETIONS: Supervision = {
  deletions: true,
  moves: false,
  webhooks: false,
  members: false,
  records_per_request: null,
  records_per_hour: null,
}

/** A workspace whose owner is signed in, with requests as that person or with a key or token. */
async function openWorld(docket: TestDocket) {
  const { storage, server, config } = docket
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
  const remoteAddress = newClientAddress()
  const send = async (line: string, payload?: object, key?: string) => {
    const [method = '', url = ''] = line.split(' ')
    const reply = await server.inject({
      method: method as 'GET',
      url,
      remoteAddress,
      headers: key === undefined ? headers : { authorization: `Bearer ${key}` },
      ...(payload && { payload }),
    })
    const body = (reply.body ? reply.json() : {}) as Record<string, unknown>
    const { code } = (body.error ?? {}) as { code?: string }
    return { status: reply.statusCode, code, body, id: String(body.id) }
  }
  const createKey = async (supervision: Supervision) => {
    const { body } = await send('POST /internal/api-keys', {
      name: 'Agent',
      preset: 'full',
      supervision,
    })
    return { id: String(body.id), key: String(body.api_key) }
  }
  const createTask = async (title = 'A task') =>
    (await send('POST /api/v1/tasks', { project_id: team.project, title })).id
  return { team, send, createKey, createTask }
}

for (const engine of ENGINES) {
  const env = withoutRowLevelSecurity(engine)

  test(`an application is supervised by its authorization, and stays so in the next one (${engine})`, async () => {
    const docket = await openTestDocket(engine, env)
    const { team, send, createTask } = await openWorld(docket)
    const app = await createTestApplication(docket, team)
    const { tokensFor, refresh } = createOAuthClient(docket, team, app)
    const first = await tokensFor('owner', { scope: SCOPES.join(' ') })
    const grants = (await send('GET /internal/grants')).body.data as { id: string }[]
    const grant = grants[0]?.id ?? ''
    const changed = await send(`PATCH /internal/grants/${grant}`, { supervision: DELETIONS })
    assert.deepEqual([changed.status, changed.body.supervision], [200, DELETIONS])

    const task = await createTask()
    const waiting = await send(`DELETE /api/v1/tasks/${task}`, undefined, first.access_token)
    assert.deepEqual([waiting.status, waiting.body.status], [202, 'pending'])
    // Neither a new token nor a new authorization is a way round it.
    const refreshed = String((await refresh(first.refresh_token)).body.access_token)
    const second = await tokensFor('owner', { scope: SCOPES.join(' ') })
    for (const token of [refreshed, second.access_token])
      assert.equal((await send(`DELETE /api/v1/tasks/${task}`, undefined, token)).status, 202)

    const allowed = await send(`POST /internal/approvals/${waiting.id}/allow`, {})
    assert.deepEqual([allowed.status, allowed.body.status], [200, 'done'])
    assert.equal((await send(`GET /api/v1/tasks/${task}`)).status, 404)
    const operation = await send(
      `GET /api/v1/operations/${waiting.id}`,
      undefined,
      second.access_token,
    )
    assert.deepEqual(operation.body.reply, { status: 204, body: null })

    const other = await createTask()
    const late = await send(`DELETE /api/v1/tasks/${other}`, undefined, refreshed)
    assert.equal((await send(`PATCH /internal/grants/${grant}`, { paused: true })).status, 200)
    assert.equal((await send('GET /api/v1/me', undefined, refreshed)).code, 'credential_paused')
    assert.equal(
      (await send(`POST /internal/approvals/${late.id}/allow`, {})).code,
      'credential_inactive',
    )
    assert.equal((await send(`GET /api/v1/tasks/${other}`)).status, 200)
  })

  test(`a request that nobody decides on expires after 7 days and is purged after 30 (${engine})`, async () => {
    const clock = createTestClock()
    const docket = await openFreshDocket(engine, env, { clock })
    const { send, createKey, createTask } = await openWorld(docket)
    const { key } = await createKey(DELETIONS)
    const task = await createTask()
    const { id } = await send(`DELETE /api/v1/tasks/${task}`, undefined, key)
    const statusOf = async () => (await send(`GET /api/v1/operations/${id}`)).body.status
    clock.advance(7 * DAY_MS - 1)
    assert.equal(await statusOf(), 'pending')
    clock.advance(1)
    assert.equal(await statusOf(), 'expired')
    assert.deepEqual((await send('GET /internal/approvals')).body.data, [])
    const all = (await send('GET /internal/approvals?state=all')).body.data as object[]
    assert.equal(all.length, 1)
    assert.equal((await send(`POST /internal/approvals/${id}/refuse`, {})).code, 'already_decided')
    assert.equal((await send(`POST /internal/approvals/${id}/allow`, {})).code, 'already_decided')
    assert.equal((await send(`GET /api/v1/tasks/${task}`)).status, 200)
    clock.advance(23 * DAY_MS + HOUR_MS)
    const purge = purgeOldOperations(docket.storage)
    while (await purge());
    assert.equal((await send(`GET /internal/approvals/${id}`)).status, 404)
  })

  test(`a session of five hours allows single requests, but nothing that lasts (${engine})`, async () => {
    const clock = createTestClock()
    const docket = await openTestDocket(engine, env, { clock })
    const { send, createKey, createTask } = await openWorld(docket)
    const { key } = await createKey({ ...DELETIONS, webhooks: true })
    clock.advance(5 * HOUR_MS)
    const task = await createTask()
    const webhook = { url: 'https://hooks.example.com/in', events: ['task.created'] }
    const lasting = await send('POST /api/v1/webhooks', webhook, key)
    const deletion = await send(`DELETE /api/v1/tasks/${task}`, undefined, key)
    const allow = (id: string, body = {}) => send(`POST /internal/approvals/${id}/allow`, body)
    assert.equal((await allow(lasting.id)).code, 'sign_in_again')
    assert.equal((await allow(deletion.id, { for_an_hour: true })).code, 'sign_in_again')
    assert.equal((await allow(deletion.id)).status, 200)
  })

  test(`what is allowed for an hour is asked about again after it (${engine})`, async () => {
    const clock = createTestClock()
    const docket = await openTestDocket(engine, env, { clock })
    const { send, createKey, createTask } = await openWorld(docket)
    const { key } = await createKey(DELETIONS)
    const remove = async () => send(`DELETE /api/v1/tasks/${await createTask()}`, undefined, key)
    const { id } = await remove()
    const allowed = await send(`POST /internal/approvals/${id}/allow`, { for_an_hour: true })
    assert.equal(allowed.status, 200)
    clock.advance(HOUR_MS - 1)
    assert.equal((await remove()).status, 204)
    clock.advance(1)
    assert.equal((await remove()).status, 202)
  })

  test(`a write is judged by all its events, also those stored before its end (${engine})`, async () => {
    const docket = await openTestDocket(engine, env)
    const { team, send, createKey, createTask } = await openWorld(docket)
    const { key } = await createKey({ ...DELETIONS, deletions: false, records_per_request: 140 })
    const parent_id = await createTask()
    const description = 'x'.repeat(65_000)
    for (let batch = 0; batch < 14; batch += 1) {
      const data = { project_id: team.project, parent_id, title: 'A subtask', description }
      const operations = Array.from({ length: 10 }, () => ({ op: 'create', data }))
      assert.equal((await send('POST /api/v1/tasks/bulk', { operations })).status, 200)
    }
    const waiting = await send(`DELETE /api/v1/tasks/${parent_id}`, undefined, key)
    assert.equal(waiting.status, 202)
    const approval = await send(`GET /internal/approvals/${waiting.id}`)
    assert.equal(approval.body.record_count, 141)
    assert.equal((approval.body.changes as object[]).length, 100)
    assert.equal((await send(`GET /api/v1/tasks/${parent_id}`)).status, 200)
    const allowed = await send(`POST /internal/approvals/${waiting.id}/allow`, {})
    assert.equal(allowed.status, 200)
    assert.equal((await send(`GET /api/v1/tasks/${parent_id}`)).status, 404)
  })

  test(`an upload that a person would have to allow is refused (${engine})`, async () => {
    const docket = await openTestDocket(engine, env)
    const { send, createKey, createTask } = await openWorld(docket)
    const { key } = await createKey({ ...DELETIONS, records_per_hour: 1 })
    const task = await createTask()
    const upload = async () =>
      docket.server.inject({
        method: 'POST',
        url: `/api/v1/tasks/${task}/attachments?filename=a.txt`,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
        payload: 'text',
      })
    assert.equal((await upload()).statusCode, 201)
    const refused = await upload()
    assert.deepEqual([refused.statusCode, refused.json().error.code], [403, 'approval_unavailable'])
    const { body } = await send(`GET /api/v1/tasks/${task}/attachments`)
    assert.equal((body.data as object[]).length, 1)
  })

  test(`a paused key is refused by other processes within 200 ms (${engine})`, async (t: TestContext) => {
    const clock = stopPerformanceClock(t)
    const docket = await openFreshDocket(engine, env)
    const { send, createKey } = await openWorld(docket)
    const { id, key } = await createKey(DELETIONS)
    const elsewhere = createAuthenticator(docket.storage, 'docket')
    const pausedAt = async () =>
      (await elsewhere.authenticate(`Bearer ${key}`, undefined)).paused_at ?? null
    assert.equal(await pausedAt(), null)
    assert.equal((await send(`PATCH /internal/api-keys/${id}`, { paused: true })).status, 200)
    assert.equal((await send('GET /api/v1/me', undefined, key)).code, 'credential_paused')
    clock.pass(200)
    assert.notEqual(await pausedAt(), null)
  })
}
