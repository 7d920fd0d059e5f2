import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearAttempts, countAttempts, listActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { isActionLimit } from '#wire/endpoint.ts'
import { callApi, summarizeReply } from '../support/api/call-api.ts'
import { endpointName } from '../support/api/endpoint-requests.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTokenIssuer } from '../support/oauth/access-tokens.ts'
import { everyone, type InternalEndpointCase, MISSING } from './endpoint-outcomes.ts'
import { ENDPOINTS_WITHOUT_SESSION, INTERNAL_ENDPOINT_CASES } from './internal-endpoints.ts'
import { createSignedInWorkspace } from './internal-records.ts'
import { buildCall, casesOf, ENDPOINTS, findOutcomeDifferences } from './outcome-differences.ts'
import { ALL_ROLES } from './roles.ts'

for (const engine of ENGINES) {
  test(`every internal endpoint answers every role as the table says (${engine})`, async () => {
    const served = await openTestDocket(engine)
    assert.deepEqual(
      await findOutcomeDifferences(served, await createSignedInWorkspace(served)),
      [],
    )
  })
}

// That statements filter by workspace is the same on both engines (test/storage/distribution.test.ts).
test('an id of another workspace is answered like an unknown id', async () => {
  const served = await openTestDocket('sqlite')
  const [world, stranger] = [
    await createSignedInWorkspace(served),
    await createSignedInWorkspace(served),
  ]
  let probes = 0
  for (const endpoint of ENDPOINTS.filter(({ path }) => path.includes('/:'))) {
    for (const line of casesOf(endpoint)) {
      const foreignIds = (await line.ids?.(stranger, 'owner')) ?? []
      const ownIds = (await line.ids?.(world, 'owner')) ?? []
      for (const role of ALL_ROLES) {
        for (const at of ownIds.keys()) {
          const end = async (id = '') => {
            const apiCall = buildCall(endpoint, line, ownIds.with(at, id), world)
            const { headers } = world.sessions[role]
            const { status, text } = await callApi(served.server, undefined, {
              ...apiCall,
              headers,
            })
            return `${status} ${text.replace(/"request_id":"\w+"/, '')}`
          }
          const unknown = `${foreignIds[at]?.slice(0, 4)}01k2m3n4p5q6r7s8t9v0w1x2y3`
          const is = await end(foreignIds[at])
          assert.match(is, /^40[34] /, `${endpointName(endpoint)} as ${role}`)
          assert.equal(is, await end(unknown), `${endpointName(endpoint)} as ${role}`)
          probes += 1
        }
      }
    }
  }
  assert.ok(probes > 80, `${probes}`)
})

test('internal endpoints require a session, and accept no API key or access token', async () => {
  const served = await openTestDocket('sqlite')
  const { server } = served
  const world = await createSignedInWorkspace(served)
  const token = await (await createTokenIssuer(served, world.team))('owner')
  const { cookie, origin } = world.sessions.owner.headers
  for (const endpoint of ENDPOINTS) {
    const [line = { outcomes: ['', '', '', ''] as const }] =
      INTERNAL_ENDPOINT_CASES[endpointName(endpoint)] ?? []
    const apiCall = buildCall(endpoint, line, ['x', 'x'], world)
    const end = async (headers: Record<string, string>) =>
      summarizeReply(await callApi(server, undefined, { ...apiCall, headers }))
    const name = endpointName(endpoint)
    for (const authorization of [
      `Bearer ${world.team.keys.owner}`,
      `Bearer ${token}`,
      'Bearer x',
      '',
    ])
      assert.equal(await end({ cookie, origin, authorization }), '403 session_required', name)
    const { headers } = await callApi(server, undefined, { ...apiCall, headers: { origin } })
    assert.equal(headers['access-control-allow-origin'], undefined, name)
    if (ENDPOINTS_WITHOUT_SESSION.has(name)) continue
    assert.equal(await end({ origin }), '401 authentication_required', name)
    const forged = { cookie: `${cookie.slice(0, -4)}AAAA`, origin }
    assert.equal(await end(forged), '401 authentication_required', name)
  }
})

/** What is valid for endpoints without a session, which have no line in the table. */
const OPEN_BODIES: Record<string, object> = {
  'POST /internal/signup': {
    email: 'new@example.com',
    password: 'plum tart at noon',
    name: 'New',
    workspace_name: 'New',
  },
  'POST /internal/session': { email: 'a@example.com', password: 'plum tart at noon' },
  'POST /internal/session/second-factor': { code: '123456' },
  'POST /internal/session/workspace': { name: 'New', timezone: 'UTC' },
  'POST /internal/session/link': { token: 'x' },
  'POST /internal/session/passkey': {
    id: 'x',
    client_data: 'x',
    authenticator_data: 'x',
    signature: 'x',
  },
  'POST /internal/company-sign-in/finish': { code: 'x', state: 'x' },
  'POST /internal/password-resets/accept': { token: 'x', password: 'plum tart at noon' },
  'POST /internal/invitations/accept': { token: 'x' },
}

/** What there was too much of, and when it goes on. */
const LIMIT_MESSAGE =
  /"(There were [\d,]+ [a-z ,]+ within \d+|A workspace on the plan paid can invite 1000 people within 24) [a-z ,]+\. Try again in \d+ (seconds|minutes|hours)\."/

const countAuditEntries = unscopedQuery((db) =>
  db.selectFrom('audit_entries').select((entry) => entry.fn.countAll<number>().as('count')),
)

async function openAlone() {
  const served = await openFreshDocket('sqlite', { DOCKET_SIGNUP: 'open' })
  const world = await createSignedInWorkspace(served)
  const countEntries = async () => {
    const row = await served.storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(countAuditEntries, {}))
    return Number(row?.count)
  }
  return { served, world, countEntries }
}

test('what writes to the audit log has a limit of actions, unless it takes away', async () => {
  const { served, world, countEntries } = await openAlone()
  const unlimited = new Set<string>()
  for (const endpoint of ENDPOINTS) {
    // What is taken away was given by a request that has a limit.
    if (isActionLimit(endpoint.limit) || (endpoint.method === 'DELETE' && !endpoint.body)) continue
    for (const line of casesOf(endpoint)) {
      const ids = (await line.ids?.(world, 'owner')) ?? []
      const before = await countEntries()
      const { headers } = world.sessions.owner
      await callApi(served.server, undefined, {
        ...buildCall(endpoint, line, ids, world),
        headers,
      })
      if ((await countEntries()) > before) unlimited.add(endpointName(endpoint))
    }
  }
  assert.deepEqual([...unlimited], [])
})

test('each limit of actions refuses every request to its endpoints', async () => {
  const { served, world, countEntries } = await openAlone()
  const { storage, server } = served
  const { people, workspace: workspace_id } = world.team
  const actor = { user_id: people.owner, workspace_id, plan: 'paid' } as const
  const sender = { address: '127.0.0.1', actor }
  const limited = ENDPOINTS.filter(({ limit }) => isActionLimit(limit))
  const missing: string[] = []
  const kinds = new Set<string>()
  for (const endpoint of limited) {
    const name = endpointName(endpoint)
    const line: InternalEndpointCase = casesOf(endpoint)[0] ?? {
      outcomes: everyone('429'),
      body: OPEN_BODIES[name] ?? assert.fail(name),
    }
    const ids = (await line.ids?.(world, 'owner')) ?? []
    const { headers } = world.sessions.owner
    for (const limit of listActionLimits(endpoint, sender)) {
      const write = (work: (tx: WriteTx) => Promise<unknown>) =>
        storage.write(ANONYMOUS_ACTOR, work)
      await write((tx) => countAttempts(tx, [limit], limit.maxAttempts))
      const before = await countEntries()
      const call = { ...buildCall(endpoint, line, ids, world), headers }
      const reply = await callApi(server, undefined, call)
      const outcome = summarizeReply(reply)
      if (outcome === MISSING && line.outcomes[0] === MISSING) {
        missing.push(name)
        await write((tx) => clearAttempts(tx, limit))
        break
      }
      assert.equal(outcome, '429 too_many_attempts', name)
      assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/, name)
      assert.match(reply.text, LIMIT_MESSAGE, name)
      assert.equal(await countEntries(), before, name)
      await write((tx) => clearAttempts(tx, limit))
    }
    kinds.add(endpoint.limit)
  }
  assert.equal(kinds.size, 6)
  // The world has no such records. A download counts when its first byte is sent
  // (test/archive/exports.test.ts).
  assert.deepEqual(missing.toSorted(), [
    'DELETE /internal/account/passkeys/:id',
    'GET /internal/exports/:id/content',
    'POST /internal/setup',
  ])
})
