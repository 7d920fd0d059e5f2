import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { ApiReply } from '../support/api/call-api.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTokenIssuer } from '../support/oauth/access-tokens.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import type { TestClock } from '../support/system/test-clock.ts'
import { createRoleWorkspace, type RoleWorkspace } from '../tenants-and-roles/roles.ts'
import { type AbstractRequest, arbitraryRequest } from './arbitrary-request.ts'
import { findReplyFault } from './check-reply.ts'
import { FuzzLane } from './fuzz-lane.ts'

/** The start of the test clock: the same on both engines, and in every run of a seed. */
const START_MS = Date.UTC(2026, 2, 1, 10)
const ROUND_SIZE = 100
/** Access tokens expire after an hour. */
const TOKEN_RENEWAL_INTERVAL_MS = 45 * 60 * 1_000

export interface FuzzResult {
  requests: number
  /** How often each status occurred. */
  statuses: Record<number, number>
  /** Faults, with what is needed to reproduce them. */
  faults: string[]
  /** The 99.9th percentile of the request time, in milliseconds. */
  p999: number
}

/** A lane on both engines. */
interface LanePair {
  number: number
  houses: readonly RoleWorkspace[]
  both: FuzzLane[]
}

/**
 * Sends the same random requests to two Dockets in step, in several workspaces (lanes) at once.
 * Returns replies that check-reply.ts rejects, and replies that differ between the two. A lane depends
 * on the seed alone: `lanes: [3]` repeats the fourth lane by itself. Both Dockets use the clock.
 */
export async function runFuzz(
  pair: readonly [TestDocket, TestDocket],
  clock: TestClock,
  { requests, seed, lanes }: { requests: number; seed: number; lanes: readonly number[] },
): Promise<FuzzResult> {
  const result: FuzzResult = { requests: 0, statuses: {}, faults: [], p999: 0 }
  const durations: number[] = []
  const each = Math.ceil(requests / lanes.length / pair.length)
  clock.set(START_MS)
  const lanePairs: LanePair[] = []
  const renewals: (() => Promise<void>)[] = []
  for (const number of lanes) {
    const houses = [await createRoleWorkspace(pair[0]), await createRoleWorkspace(pair[1])] as const
    lanePairs.push({ number, houses, both: [] })
  }
  // Access tokens expire by the real time.
  clock.set(Date.now())
  for (const { number, houses, both } of lanePairs) {
    for (const [at, served] of pair.entries()) {
      const appContext = houses[at] ?? assert.fail()
      const lane = new FuzzLane(served.server, appContext)
      both.push(lane)
      if (number % 2 === 0) continue
      // Every second lane uses access tokens.
      const tokenOf = await createTokenIssuer(served, appContext.team)
      renewals.push(() => lane.setCredentials(tokenOf))
    }
  }
  let renewedAt = Number.NEGATIVE_INFINITY
  await renewTokens()
  for (let done = 0; done < each && result.faults.length === 0; done += ROUND_SIZE) {
    clock.set(START_MS + (done / ROUND_SIZE) * 1_000)
    await renewTokens()
    await Promise.all(lanePairs.map((lane) => runRound(lane, done)))
  }
  for (const lane of lanePairs) await compareEvents(lane)
  durations.sort((a, b) => a - b)
  result.p999 = durations[Math.floor(durations.length * 0.999)] ?? 0
  return result

  async function renewTokens(): Promise<void> {
    if (performance.now() - renewedAt < TOKEN_RENEWAL_INTERVAL_MS) return
    renewedAt = performance.now()
    for (const one of renewals) await one()
  }

  /**
   * Draws the requests of a round from the seed, so that memory does not grow with their number.
   */
  async function runRound({ number, both }: LanePair, done: number): Promise<void> {
    const drawn = fc.sample(REQUESTS, { numRuns: ROUND_SIZE, seed: seedOf(seed, number, done) })
    for (const [at, abstract] of drawn.slice(0, each - done).entries()) {
      const where = `seed ${seed}, lane ${number}, request ${done + at}`
      if (!(await sendAndCompare(both, abstract, where))) return
    }
  }

  /** Returns whether the lane can go on. */
  async function sendAndCompare(
    both: readonly FuzzLane[],
    abstract: AbstractRequest,
    where: string,
  ): Promise<boolean> {
    result.requests += both.length
    const began = performance.now()
    const replies = await Promise.all(both.map((lane) => lane.send(lane.toApiCall(abstract))))
    durations.push(performance.now() - began)
    const { method } = abstract
    for (const [at, reply] of replies.entries()) {
      const { url = '' } = both[at]?.toApiCall(abstract) ?? {}
      const fault = findReplyFault(method, url, reply)
      if (fault) return addFault(`${pair[at]?.engine} ${fault}`, both, abstract, replies, where)
      result.statuses[reply.status] = (result.statuses[reply.status] ?? 0) + 1
    }
    const [a, b] = replies.map((reply, at) => both[at]?.normalize(reply))
    return isDeepStrictEqual(a, b) || addFault('engines differ', both, abstract, replies, where)
  }

  function addFault(
    what: string,
    both: readonly FuzzLane[],
    abstract: AbstractRequest,
    replies: ApiReply[],
    where: string,
  ): false {
    const [request] = both.map((lane) => lane.toApiCall(abstract))
    const normalized = replies.map((reply, at) =>
      JSON.stringify(both[at]?.normalize(reply)).slice(0, 4_000),
    )
    result.faults.push([`${where}: ${what}`, JSON.stringify(request), ...normalized].join('\n'))
    return false
  }

  async function compareEvents({ number, houses, both }: LanePair): Promise<void> {
    const [one, other] = await Promise.all(
      houses.map(async ({ team }, at) => {
        const { storage } = pair[at] ?? pair[0]
        const events = await readEvents(storage, team.workspace)
        return events.map(({ payload }) => both[at]?.replaceIds(payload))
      }),
    )
    if (result.faults.length > 0 || isDeepStrictEqual(one, other)) return
    const first = one?.findIndex((event, at) => event !== other?.[at]) ?? 0
    const report = [`seed ${seed}, lane ${number}: events differ`, one?.[first], other?.[first]]
    result.faults.push(report.join('\n'))
  }
}

const REQUESTS = arbitraryRequest()

/** Derives distinct 32-bit seeds for rounds. */
const seedOf = (seed: number, lane: number, done: number): number =>
  (seed * 1_000_003 + lane * 10_007 + done) | 0
