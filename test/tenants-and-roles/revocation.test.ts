import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { AUTH_CACHE_TTL_MS } from '#auth/authenticator.ts'
import { apiKeysOfWorkspace, removeApiKey } from '#auth/keys/api-key-store.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { removeMember } from '#resources/members/membership.ts'
import { removeGrantsOfMember } from '#resources/members/membership-store.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { callApi, summarizeReply } from '../support/api/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTokenIssuer } from '../support/oauth/access-tokens.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/** The maximum time until other processes apply a revocation (docs/spec/api.md#authentication-and-authorization). */
const MAX_REVOCATION_MS = 1_000
/** How many requests after a change are checked. */
const REQUESTS_AFTER_CHANGE = 6

interface RevocationCase {
  name: string
  /** Milliseconds after which it takes effect. */
  within: number
  /** Whether requests use an access token instead of an API key. */
  byToken?: boolean
  make: (tx: WriteTx, team: TestWorkspace) => Promise<unknown>
  outcome: string
}

const REVOCATION_CASES: readonly RevocationCase[] = [
  {
    name: 'a project becomes private',
    within: 0,
    make: (tx, { project }) => changeProject(tx, project, { visibility: 'private' }),
    outcome: '404 not_found',
  },
  {
    name: 'a key is revoked',
    within: AUTH_CACHE_TTL_MS,
    async make(tx, { people }) {
      const keys = await tx.all(apiKeysOfWorkspace, {})
      for (const { id, user_id } of keys) {
        if (user_id === people.member) await tx.run(removeApiKey, { id })
      }
      await bumpAuthVersion(tx)
    },
    outcome: '401 invalid_token',
  },
  {
    name: 'a member is removed',
    within: AUTH_CACHE_TTL_MS,
    async make(tx, { people }) {
      await removeMember(tx, people.member)
      await bumpAuthVersion(tx)
    },
    outcome: '401 invalid_token',
  },
  {
    name: 'what an application was allowed is ended',
    within: AUTH_CACHE_TTL_MS,
    byToken: true,
    async make(tx, { people }) {
      await tx.run(removeGrantsOfMember, { user_id: people.member })
      await bumpAuthVersion(tx)
    },
    outcome: '401 invalid_token',
  },
]

test('caches authentication for less than the second that the specification allows', () => {
  assert.ok(AUTH_CACHE_TTL_MS < MAX_REVOCATION_MS)
})

for (const engine of ENGINES) {
  for (const { name, within, byToken = false, make, outcome } of REVOCATION_CASES) {
    test(`when ${name}, it takes effect during use (${engine})`, async () => {
      const docket = await openTestDocket(engine)
      const { storage, server } = docket
      const team = await createTestWorkspace(storage)
      const key = byToken
        ? await (await createTokenIssuer(docket, team))('member')
        : team.keys.member
      const asking = { method: 'GET', url: `/api/v1/projects/${team.project}` }
      const replies: { began: number; outcome: string }[] = []
      let inUse = true
      const sendRequests = async () => {
        while (inUse) {
          const began = performance.now()
          const reply = await callApi(server, key, asking)
          replies.push({ began, outcome: summarizeReply(reply) })
          // Injected requests do not yield to the event loop, but writes wait for a turn of it.
          await setImmediate()
        }
      }
      const senders = [sendRequests(), sendRequests()]
      await waitUntil('use', () => replies.length >= senders.length)
      const system = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' } as const
      await storage.write(system, (tx) => make(tx, team))
      const effectiveFrom = performance.now() + within
      const repliesSince = () => replies.filter(({ began }) => began > effectiveFrom)
      await waitUntil('use after the change', () => repliesSince().length >= REQUESTS_AFTER_CHANGE)
      inUse = false
      await Promise.all(senders)

      assert.equal(replies[0]?.outcome, '200')
      const after = repliesSince()
      assert.deepEqual(new Set(after.map((one) => one.outcome)), new Set([outcome]))
      const first = replies.findIndex((one) => one.outcome === outcome)
      const outdated = replies.slice(first).filter((one) => one.outcome === '200')
      assert.ok(outdated.length <= 1, 'once taken away, it does not come back')
    })
  }
}
