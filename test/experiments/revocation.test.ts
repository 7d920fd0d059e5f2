import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import type { WriteTx } from '#core/tx.ts'
import { BELIEVED_MS } from '#identity/authenticate.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { keysOfWorkspace, removeKey } from '#identity/keys.ts'
import { removeMember } from '#resources/members/membership.ts'
import { removeGrantsOf } from '#resources/members/membership-store.ts'
import { changeProject } from '#resources/projects/change.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { tokensOf } from '../support/tokens.ts'
import { until } from '../support/until.ts'
import { call, outcomeOf } from './world/call.ts'

/** What another process needs at most to notice a change of credentials (contract 4). */
const MOST_MS = 1_000
/** Requests by which it is seen that something binds for good. */
const SEEN = 6

interface Change {
  name: string
  /** Milliseconds after which it binds. */
  within: number
  /** Asked with an access token instead of a key. */
  byToken?: boolean
  make: (tx: WriteTx, home: Home) => Promise<unknown>
  outcome: string
}

const CHANGES: readonly Change[] = [
  {
    name: 'a project becomes private',
    within: 0,
    make: (tx, { project }) => changeProject(tx, project, { visibility: 'private' }),
    outcome: '404 not_found',
  },
  {
    name: 'a key is revoked',
    within: BELIEVED_MS,
    async make(tx, { people }) {
      const keys = await tx.all(keysOfWorkspace, {})
      for (const { id, user_id } of keys) {
        if (user_id === people.member) await tx.run(removeKey, { id })
      }
      await advanceGeneration(tx)
    },
    outcome: '401 invalid_token',
  },
  {
    name: 'a member is removed',
    within: BELIEVED_MS,
    async make(tx, { people }) {
      await removeMember(tx, people.member)
      await advanceGeneration(tx)
    },
    outcome: '401 invalid_token',
  },
  {
    name: 'what an application was allowed is ended',
    within: BELIEVED_MS,
    byToken: true,
    async make(tx, { people }) {
      await tx.run(removeGrantsOf, { user_id: people.member })
      await advanceGeneration(tx)
    },
    outcome: '401 invalid_token',
  },
]

test('what was found is believed for less than the second that the contract allows', () => {
  assert.ok(BELIEVED_MS < MOST_MS)
})

for (const engine of ENGINES) {
  for (const { name, within, byToken = false, make, outcome } of CHANGES) {
    test(`when ${name}, that binds in the midst of use (${engine})`, async () => {
      const docket = await docketOn(engine)
      const { storage, server } = docket
      const home = await newHome(storage)
      const key = byToken ? await (await tokensOf(docket, home))('member') : home.keys.member
      const asking = { method: 'GET', url: `/api/v1/projects/${home.project}` }
      const seen: { began: number; outcome: string }[] = []
      let inUse = true
      const use = async () => {
        while (inUse) {
          const began = performance.now()
          const reply = await call(server, key, asking)
          seen.push({ began, outcome: outcomeOf(reply) })
          // What is injected is answered without the loop turning, and writes wait for its turn.
          await setImmediate()
        }
      }
      const users = [use(), use()]
      await until('use', () => seen.length >= users.length)
      const system = { ...NOBODY, workspace_id: home.workspace, role: 'owner' } as const
      await storage.write(system, (tx) => make(tx, home))
      const bound = performance.now() + within
      const since = () => seen.filter(({ began }) => began > bound)
      await until('use after the change', () => since().length >= SEEN)
      inUse = false
      await Promise.all(users)

      assert.equal(seen[0]?.outcome, '200')
      const after = since()
      assert.deepEqual(new Set(after.map((one) => one.outcome)), new Set([outcome]))
      const first = seen.findIndex((one) => one.outcome === outcome)
      const late = seen.slice(first).filter((one) => one.outcome === '200')
      assert.ok(late.length <= 1, 'once taken away, it does not come back')
    })
  }
}
