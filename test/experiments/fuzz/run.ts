import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { TestClock } from '../../support/clock.ts'
import type { Served } from '../../support/engines.ts'
import { eventsOf } from '../../support/scenario.ts'
import { tokensOf } from '../../support/tokens.ts'
import { type House, newHouse } from '../roles.ts'
import type { Replied } from '../world/call.ts'
import { faultOf } from './judge.ts'
import { Lane } from './lane.ts'
import { allowing } from './oauth.ts'
import { type Abstract, anyRequest } from './request.ts'

/** When everything happens: the same time on both engines, and on every run of a seed. */
const BEGIN = Date.UTC(2026, 2, 1, 10)
const ROUND = 100
/** Access tokens live for an hour. */
const RENEWED_MS = 45 * 60 * 1_000

export interface Fuzzed {
  requests: number
  /** How often each status was answered. */
  statuses: Record<number, number>
  /** What should not be, with what is needed to do it again. */
  faults: string[]
  /** Milliseconds of the slowest of a thousand. */
  p999: number
}

/** A lane on both engines. */
interface Pair {
  number: number
  houses: readonly House[]
  both: Lane[]
}

/**
 * Sends the same random requests to two Dockets in step, in some workspaces side by side, and says
 * where one answers with what the contract does not know, or the two not alike. A lane depends on the
 * seed alone: `lanes: [3]` repeats the fourth by itself. Both Dockets have the clock.
 */
export async function fuzz(
  pair: readonly [Served, Served],
  clock: TestClock,
  { requests, seed, lanes }: { requests: number; seed: number; lanes: readonly number[] },
): Promise<Fuzzed> {
  const result: Fuzzed = { requests: 0, statuses: {}, faults: [], p999: 0 }
  const slow: number[] = []
  const each = Math.ceil(requests / lanes.length / pair.length)
  clock.set(BEGIN)
  const made: Pair[] = []
  const renewals: (() => Promise<void>)[] = []
  for (const number of lanes) {
    const houses = [await newHouse(pair[0]), await newHouse(pair[1])] as const
    made.push({ number, houses, both: [] })
  }
  // Tokens last by the clock on the wall.
  clock.set(Date.now())
  for (const { number, houses, both } of made) {
    for (const [at, served] of pair.entries()) {
      const house = houses[at] ?? assert.fail()
      const lane = new Lane(served.server, house, await allowing(served, house.home))
      both.push(lane)
      if (number % 2 === 0) continue
      // Every other asks with access tokens.
      const tokenOf = await tokensOf(served, house.home)
      renewals.push(() => lane.askWith(tokenOf))
    }
  }
  let renewed = Number.NEGATIVE_INFINITY
  await renew()
  for (let done = 0; done < each && result.faults.length === 0; done += ROUND) {
    clock.set(BEGIN + (done / ROUND) * 1_000)
    await renew()
    await Promise.all(made.map((lane) => round(lane, done)))
  }
  for (const lane of made) await compareEvents(lane)
  slow.sort((a, b) => a - b)
  result.p999 = slow[Math.floor(slow.length * 0.999)] ?? 0
  return result

  async function renew(): Promise<void> {
    if (performance.now() - renewed < RENEWED_MS) return
    renewed = performance.now()
    for (const one of renewals) await one()
  }

  /** Requests of a round are drawn anew from the seed, so that nothing grows with their number. */
  async function round({ number, both }: Pair, done: number): Promise<void> {
    const drawn = fc.sample(ANY, { numRuns: ROUND, seed: seedOf(seed, number, done) })
    for (const [at, abstract] of drawn.slice(0, each - done).entries()) {
      const where = `seed ${seed}, lane ${number}, request ${done + at}`
      if (!(await ask(both, abstract, where))) return
    }
  }

  /** Tells whether all is well, so that the lane goes on. */
  async function ask(both: readonly Lane[], abstract: Abstract, where: string): Promise<boolean> {
    result.requests += both.length
    const began = performance.now()
    const replies = await Promise.all(both.map((lane) => lane.send(lane.concrete(abstract))))
    slow.push(performance.now() - began)
    const { method } = abstract
    for (const [at, reply] of replies.entries()) {
      const { url = '' } = both[at]?.concrete(abstract) ?? {}
      const fault = faultOf(method, url, reply)
      if (fault) return tell(`${pair[at]?.engine} ${fault}`, both, abstract, replies, where)
      result.statuses[reply.status] = (result.statuses[reply.status] ?? 0) + 1
    }
    const [a, b] = replies.map((reply, at) => both[at]?.normal(reply))
    return isDeepStrictEqual(a, b) || tell('engines differ', both, abstract, replies, where)
  }

  function tell(
    what: string,
    both: readonly Lane[],
    abstract: Abstract,
    replies: Replied[],
    where: string,
  ): false {
    const [asked] = both.map((lane) => lane.concrete(abstract))
    const shown = replies.map((reply, at) =>
      JSON.stringify(both[at]?.normal(reply)).slice(0, 4_000),
    )
    result.faults.push([`${where}: ${what}`, JSON.stringify(asked), ...shown].join('\n'))
    return false
  }

  async function compareEvents({ number, houses, both }: Pair): Promise<void> {
    const [one, other] = await Promise.all(
      houses.map(async ({ home }, at) => {
        const { storage } = pair[at] ?? pair[0]
        const events = await eventsOf(storage, home.workspace)
        return events.map(({ payload }) => both[at]?.named(payload))
      }),
    )
    if (result.faults.length > 0 || isDeepStrictEqual(one, other)) return
    const first = one?.findIndex((event, at) => event !== other?.[at]) ?? 0
    const told = [`seed ${seed}, lane ${number}: events differ`, one?.[first], other?.[first]]
    result.faults.push(told.join('\n'))
  }
}

const ANY = anyRequest()

/** Seeds of rounds lie apart, and stay within 32 bits. */
const seedOf = (seed: number, lane: number, done: number): number =>
  (seed * 1_000_003 + lane * 10_007 + done) | 0
