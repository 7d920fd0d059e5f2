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
