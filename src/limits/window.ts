import type { Actor, Plan } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { networkOf } from '#lib/network.ts'

const MINUTE = 60_000
/** So many addresses have a count of their own: who has a whole network could make up any number. */
const MOST_ADDRESSES = 100_000
const OTHERS = 'others'

/** Spends one request of the workspace's minute; gives the headers of the reply, or refuses. */
export type Limit = (actor: Actor) => Record<string, string>

/** Spends one request of the session's minute, or refuses. */
export type SessionLimit = (actor: Actor) => void

/** Spends one failed authentication of an address, or refuses. */
export type AddressLimit = (address: string) => void

interface Window {
  /** Milliseconds since 1970 at which the minute ends. */
  end: number
  used: Map<string, number>
}

/** Counts of the present UTC minute: everything is forgotten when the next begins. */
function minutes(clock: () => number) {
  let window: Window = { end: 0, used: new Map() }
  return (now = clock()): Window => {
    if (now >= window.end || now < window.end - MINUTE) {
      window = { end: (Math.floor(now / MINUTE) + 1) * MINUTE, used: new Map() }
    }
    return window
  }
}

/** So many requests a minute for each workspace, by the clock's minute (contract 5.1, 5.2). */
export function rateLimit(perMinute: Record<Plan, number>, clock = Date.now): Limit {
  const windowAt = minutes(clock)
  return ({ workspace_id, plan }) => {
    const now = clock()
    const { end, used } = windowAt(now)
    const limit = perMinute[plan]
    const count = used.get(workspace_id) ?? 0
    const headers = (remaining: number) => ({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(end / 1000),
    })
    if (count >= limit) {
      const wait = Math.ceil((end - now) / 1000)
      throw new Refusal(
        429,
        'rate_limit_exceeded',
        `The workspace has used its ${limit} requests of this minute. Retry in ${wait} seconds.`,
        { headers: { ...headers(0), 'retry-after': String(wait) } },
      )
    }
    used.set(workspace_id, count + 1)
    return headers(limit - count - 1)
  }
}

/** So many requests of the web app a minute for each session, by the clock's minute (contract 9). */
export function sessionLimit(perMinute: number, clock = Date.now): SessionLimit {
  const windowAt = minutes(clock)
  return ({ credential_id }) => {
    const now = clock()
    const { end, used } = windowAt(now)
    const session = credential_id ?? ''
    const count = used.get(session) ?? 0
    if (count >= perMinute) {
      const wait = String(Math.ceil((end - now) / 1000))
      throw new Refusal(
        429,
        'too_many_session_requests',
        `This session has used its ${perMinute} requests of this minute. Retry in ${wait} seconds.`,
        { headers: { 'retry-after': wait } },
      )
    }
    used.set(session, count + 1)
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
      const wait = String(Math.ceil((end - now) / 1000))
      throw new Refusal(
        429,
        'too_many_unauthenticated_requests',
        `Too many requests without a valid credential came from this address. Retry in ${wait} seconds.`,
        { headers: { 'retry-after': wait } },
      )
    }
    used.set(network, count + 1)
  }
}
