import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { SCOPES } from '#wire/scopes.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { withinOneMinute } from '../support/server/within-one-minute.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const LIMIT = 8
const KEY_LIMIT = 3
const SETTINGS = { DOCKET_LIMIT_PAID: String(LIMIT) }
type Credential = 'key' | 'colleague’s key' | 'limited key' | 'session' | 'colleague’s session'

/** Sends one request after the other, and describes each reply: its status or code, and headers. */
async function sendInTurn(engine: (typeof ENGINES)[number], senders: readonly Credential[]) {
  const { storage, server } = await openTestDocket(engine, SETTINGS)
  const replies = await withinOneMinute(async () => {
    const team = await createTestWorkspace(storage)
    const headersOf: Record<Credential, Record<string, string>> = {
      key: { authorization: `Bearer ${team.keys.owner}` },
      'colleague’s key': { authorization: `Bearer ${team.keys.member}` },
      'limited key': { authorization: `Bearer ${await createLimitedKey(storage, team)}` },
      session: (await createTestSession(storage, team, 'owner')).headers,
      'colleague’s session': (await createTestSession(storage, team, 'member')).headers,
    }
    const answers = []
    for (const sender of senders) {
      answers.push(await server.inject({ url: '/api/v1/me', headers: headersOf[sender] }))
    }
    return answers
  })
  return replies.map(({ statusCode, headers, body }) => {
    const { error } = JSON.parse(body) as { error?: { code: string; message: string } }
    const [limit, remaining] = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]
    if (error) assert.match(error.message, new RegExp(`has used all ${limit} requests`))
    return `${error?.code ?? statusCode} ${remaining}/${limit}`
  })
}

async function createLimitedKey(storage: Storage, { workspace, people }: TestWorkspace) {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  const limited = { user_id: people.member, name: 'L', scopes: SCOPES, expires_at: null }
  const { api_key } = await storage.write(actor, (tx) =>
    createApiKey(tx, { ...limited, rate_limit: KEY_LIMIT }),
  )
  return api_key
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
/** The replies to requests that use up a limit of this size. */
const countDown = (limit: number, from = limit) =>
  Array.from({ length: from }, (_, at) => `200 ${from - 1 - at}/${limit}`)

for (const engine of ENGINES) {
  test(`API keys that have used up their limit do not refuse sessions (${engine})`, async () => {
    const replies = await sendInTurn(engine, [
      ...times(5, 'key' as const),
      ...times(4, 'colleague’s key' as const),
      ...times(LIMIT + 1, 'session' as const),
      'key',
    ])
    assert.deepEqual(replies, [
      ...countDown(LIMIT),
      `rate_limit_exceeded 0/${LIMIT}`,
      ...countDown(LIMIT),
      `rate_limit_exceeded 0/${LIMIT}`,
      `rate_limit_exceeded 0/${LIMIT}`,
    ])
  })

  test(`sessions that have used up their limit do not refuse API keys (${engine})`, async () => {
    const replies = await sendInTurn(engine, [
      ...times(LIMIT + 1, 'session' as const),
      ...times(LIMIT, 'key' as const),
    ])
    assert.deepEqual(replies, [
      ...countDown(LIMIT),
      `rate_limit_exceeded 0/${LIMIT}`,
      ...countDown(LIMIT),
    ])
  })

  test(`the sessions of a workspace share a limit (${engine})`, async () => {
    const replies = await sendInTurn(engine, [
      'colleague’s session',
      ...times(LIMIT - 1, 'session' as const),
      'colleague’s session',
    ])
    assert.deepEqual(replies, [...countDown(LIMIT), `rate_limit_exceeded 0/${LIMIT}`])
  })

  test(`requests beyond the limit of a key cost its workspace nothing (${engine})`, async () => {
    const replies = await sendInTurn(engine, [
      ...times(KEY_LIMIT + 4, 'limited key' as const),
      ...times(LIMIT - KEY_LIMIT + 1, 'key' as const),
      'limited key',
      'session',
    ])
    assert.deepEqual(replies, [
      ...countDown(KEY_LIMIT),
      ...times(4, `key_rate_limited 0/${KEY_LIMIT}`),
      ...countDown(LIMIT, LIMIT - KEY_LIMIT),
      `rate_limit_exceeded 0/${LIMIT}`,
      `rate_limit_exceeded 0/${LIMIT}`,
      ...countDown(LIMIT).slice(0, 1),
    ])
  })

  test(`a limited key is refused by the limit of its workspace, too (${engine})`, async () => {
    const replies = await sendInTurn(engine, [
      ...times(LIMIT - 2, 'key' as const),
      ...times(3, 'limited key' as const),
    ])
    assert.deepEqual(replies.slice(-3), ['200 1/8', '200 0/8', 'rate_limit_exceeded 0/8'])
  })
}

const HIGH_LIMIT = 1_000

test('every authenticated request counts against the rate limit and has its headers, no other does', async () => {
  const { storage, server } = await openTestDocket('sqlite', {
    DOCKET_LIMIT_PAID: String(HIGH_LIMIT),
  })
  const { keys, project } = await createTestWorkspace(storage)
  const json = { 'content-type': 'application/json' }
  const ask = async (line: string, as: string, headers = {}, payload = '') => {
    const [method, url = ''] = line.split(' ') as ['GET', string]
    const authorization = { authorization: `Bearer ${as}` }
    const body = payload && { payload }
    return server.inject({ method, url, headers: { ...authorization, ...headers }, ...body })
  }
  const task = { project_id: project, title: 'Counted' }
  const made = await ask('POST /api/v1/tasks', keys.owner, json, JSON.stringify(task))
  const one = await ask(`GET /api/v1/projects/${project}`, keys.owner)
  const known = { 'if-none-match': String(one.headers.etag) }
  const tags = `/api/v1/projects/${project}/tags`
  let left = Number(one.headers['x-ratelimit-remaining'])

  const counted: [status: number, line: string, as: string, headers?: object, body?: string][] = [
    [200, 'HEAD /api/v1/projects', keys.owner],
    [304, `GET /api/v1/projects/${project}`, keys.owner, known],
    [400, 'GET /api/v1/projects?limit=0', keys.owner],
    [400, `POST ${tags}`, keys.owner, json, '{'],
    [403, `POST ${tags}`, keys.guest, json, '{"name":"a"}'],
    [404, 'GET /api/v1/tags/tag_x', keys.owner],
    [412, `PATCH /api/v1/tasks/TASK`, keys.owner, { ...json, 'if-match': '"0"' }, '{}'],
    [415, `POST ${tags}`, keys.owner, { 'content-type': 'text/plain' }, 'x'],
    [422, `POST ${tags}`, keys.owner, json, '{"name":""}'],
    [201, `POST ${tags}?dry_run=true`, keys.owner, json, '{"name":"a"}'],
  ]
  const uncounted: [status: number, line: string, as: string][] = [
    [401, 'GET /api/v1/projects', 'dkt_x'],
    [404, 'GET /api/v1/nothing', keys.owner],
    [405, 'DELETE /api/v1/projects', keys.owner],
    [204, 'OPTIONS /api/v1/projects', keys.owner],
    [200, 'GET /api/v1/openapi.json', keys.owner],
    [200, 'GET /healthz', keys.owner],
  ]
  for (const [status, line, as, headers, body] of counted) {
    const reply = await ask(line.replace('TASK', made.json().id), as, headers, body)
    assert.equal(reply.statusCode, status, line)
    left -= 1
    assert.equal(reply.headers['x-ratelimit-limit'], String(HIGH_LIMIT), line)
    assert.ok(Number(reply.headers['x-ratelimit-reset']) * 1000 > Date.now() - 1_000, line)
    const remaining = Number(reply.headers['x-ratelimit-remaining'])
    // The minute may end in between, and the count starts again.
    assert.ok(
      remaining === left || remaining === HIGH_LIMIT - 1,
      `${line}: ${remaining}, not ${left}`,
    )
    left = remaining
  }
  for (const [status, line, as] of uncounted) {
    const reply = await ask(line, as)
    assert.equal(reply.statusCode, status, line)
    assert.equal(reply.headers['x-ratelimit-remaining'], undefined, line)
  }
  const last = await ask('GET /api/v1/projects', keys.owner)
  const remaining = Number(last.headers['x-ratelimit-remaining'])
  assert.ok(remaining === left - 1 || remaining === HIGH_LIMIT - 1, `${remaining} after ${left}`)
})
