import type { Actor, Plan } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { networkOf } from '#lib/network.ts'
import { type Counter, endOf, type Spent } from './counter.ts'

/** So many addresses have a count of their own: who has a whole network could make up any number. */
const MOST_ADDRESSES = 100_000
const OTHERS = 'others'

type Headers = Record<string, string>

/** Spends one request of the workspace's minute; gives the headers of the reply, or refuses. */
export type Limit = (actor: Actor) => Headers | Promise<Headers>

/** Spends one request of the session's minute, or refuses. */
export type SessionLimit = (actor: Actor) => void | Promise<void>

/** Spends one failed authentication of an address, or refuses. */
export type AddressLimit = (address: string) => void

interface Window {
  end: number
  used: Map<string, number>
}

/** Counts of the present UTC minute: everything is forgotten when the next begins. */
function minutes(clock: () => number) {
  let window: Window = { end: 0, used: new Map() }
  return (now = clock()): Window => {
    const end = endOf(now)
    if (end !== window.end) window = { end, used: new Map() }
    return window
  }
}

/** So many requests a minute for each workspace, by the clock's minute (contract 5.1, 5.2). */
export function rateLimit(
  perMinute: Record<Plan, number>,
  counter: Counter,
  clock = Date.now,
): Limit {
  return ({ workspace_id, plan }) => {
    const now = clock()
    const end = endOf(now)
    const limit = perMinute[plan]
    const headers = (remaining: number) => ({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(end / 1000),
    })
    const admitted = (spent: Spent) => {
      if (spent !== undefined) return headers(limit - spent)
      const wait = waitUntil(end, now)
      const message = `The workspace has used its ${limit} requests of this minute. Retry in ${wait} seconds.`
      throw tooMany('rate_limit_exceeded', message, { ...headers(0), 'retry-after': wait })
    }
    const spent = counter.spend(workspace_id, end, limit)
    return spent instanceof Promise ? spent.then(admitted) : admitted(spent)
  }
}

/** So many requests of the web app a minute for each session, by the clock's minute (contract 9). */
export function sessionLimit(perMinute: number, counter: Counter, clock = Date.now): SessionLimit {
  return ({ credential_id }) => {
    const now = clock()
    const end = endOf(now)
    const admitted = (spent: Spent) => {
      if (spent !== undefined) return
      const wait = waitUntil(end, now)
      const message = `This session has used its ${perMinute} requests of this minute. Retry in ${wait} seconds.`
      throw tooMany('too_many_session_requests', message, { 'retry-after': wait })
    }
    const spent = counter.spend(credential_id ?? '', end, perMinute)
    return spent instanceof Promise ? spent.then(admitted) : admitted(spent)
  }
}

/**
 * So many failed authentications a minute for each address; IPv6 by its /64 (contract 5.3). Addresses
 * beyond `most` in a minute share one count.
 */
export function addressLimit(
  perMinute: number,
  clock = Date.now,
  most = MOST_ADDRESSES,
): AddressLimit {
  const windowAt = minutes(clock)
  return (address) => {
    const now = clock()
    const { end, used } = windowAt(now)
    const own = networkOf(address)
    const network = used.has(own) || used.size < most ? own : OTHERS
    const count = used.get(network) ?? 0
    if (count >= perMinute) {
      const wait = waitUntil(end, now)
      const message = `Too many requests without a valid credential came from this address. Retry in ${wait} seconds.`
      throw tooMany('too_many_unauthenticated_requests', message, { 'retry-after': wait })
    }
    used.set(network, count + 1)
  }
}

const waitUntil = (end: number, now: number): string => String(Math.ceil((end - now) / 1000))

const tooMany = (code: string, message: string, headers: Record<string, string>) =>
  new Refusal(429, code, message, { headers })
