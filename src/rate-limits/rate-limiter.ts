import type { Actor, Plan } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import {
  endOfMinute,
  endOfWindow,
  type RateLimitCounter,
  type SpendResult,
} from './memory-counter.ts'
import { type RequestLimits, selectLimits } from './select-limits.ts'

const MINUTE_MS = 60_000
/** Networks counted separately: an attacker with a large address range could fill the memory. */
const MAX_NETWORKS = 100_000
const OTHER_NETWORKS = 'others'

type RateLimitHeaders = Record<string, string>

/** Counts a request to the public API; returns the headers of the reply, or throws 429. */
export type RateLimiter = (actor: Actor) => RateLimitHeaders | Promise<RateLimitHeaders>

/** Counts a request of a person's sessions in a workspace, or throws 429. */
export type SessionRateLimiter = (actor: Actor) => void | Promise<void>

/** Counts a failed authentication from an IP address, or throws 429. */
export type AddressRateLimiter = (address: string) => void

interface RateLimitWindow {
  end: number
  used: Map<string, number>
}

/** Returns the window that contains a time; the counts of earlier ones are dropped. */
function createWindow(windowMs: number) {
  let window: RateLimitWindow = { end: 0, used: new Map() }
  return (now: number): RateLimitWindow => {
    const end = endOfWindow(now, windowMs)
    if (end !== window.end) window = { end, used: new Map() }
    return window
  }
}

/**
 * Limits the requests of each workspace in a clock minute: those of its API keys and applications,
 * and apart from them those of its sessions (docs/spec/api.md#how-requests-are-counted). The
 * headers are those of the limit that is nearest, or that refused
 * (docs/spec/api.md#rate-limit-headers).
 */
export function createRateLimiter(
  perMinute: Record<Plan, number>,
  counter: RateLimitCounter,
  clock = Date.now,
): RateLimiter {
  return (actor) => {
    const now = clock()
    const end = endOfMinute(now)
    const limits = selectLimits(perMinute, actor)
    const headersOrThrow = (result: SpendResult) => toHeadersOrThrow(limits, result, end, now)
    const { limit, sublimit } = limits
    const result = counter.spend({ name: limit.name, end, limit: limit.limit, sublimit })
    return result instanceof Promise ? result.then(headersOrThrow) : headersOrThrow(result)
  }
}

function toHeadersOrThrow(
  { limit, sublimit }: RequestLimits,
  { refusedBy, used, sublimitUsed }: SpendResult,
  end: number,
  now: number,
): RateLimitHeaders {
  const remaining = limit.limit - used
  const sublimitRemaining = sublimit ? sublimit.limit - sublimitUsed : remaining
  const toHeaders = (most: number, left: number) => ({
    'x-ratelimit-limit': String(most),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(end / 1000),
  })
  if (!refusedBy) {
    return sublimit && sublimitRemaining < remaining
      ? toHeaders(sublimit.limit, sublimitRemaining)
      : toHeaders(limit.limit, remaining)
  }
  const { limit: most, code, subject } = sublimit && refusedBy === 'sublimit' ? sublimit : limit
  const wait = secondsUntil(end, now)
  const message = `${subject} has used all ${most} requests of this minute. Retry in ${wait} seconds.`
  throw rateLimited(code, message, { ...toHeaders(most, 0), 'retry-after': wait })
}

/**
 * Limits the requests to endpoints of the web app in a clock minute
 * (docs/spec/api.md#internal-api-of-the-web-app). A person has one limit in a workspace for all
 * sessions: otherwise another sign-in would be another limit.
 */
export function createSessionRateLimiter(
  perMinute: number,
  counter: RateLimitCounter,
  clock = Date.now,
): SessionRateLimiter {
  return ({ workspace_id, user_id }) => {
    const now = clock()
    const end = endOfMinute(now)
    const assertAdmitted = ({ refusedBy }: SpendResult) => {
      if (!refusedBy) return
      const wait = secondsUntil(end, now)
      const message = `You have used all ${perMinute} requests of this minute in this workspace. Retry in ${wait} seconds.`
      throw rateLimited('too_many_session_requests', message, { 'retry-after': wait })
    }
    const result = counter.spend({ name: `${workspace_id}:${user_id}`, end, limit: perMinute })
    return result instanceof Promise ? result.then(assertAdmitted) : assertAdmitted(result)
  }
}

interface AddressLimitOptions {
  /** A minute by default. */
  windowMs?: number
  /** Networks beyond so many in a window share one count. */
  maxNetworks?: number
}

/**
 * Limits the failed authentications of each network in a window of time: an IPv4 address, or the /64
 * of an IPv6 address (docs/spec/api.md#unauthenticated-requests).
 */
export function createAddressRateLimiter(
  limit: number,
  clock = Date.now,
  { windowMs = MINUTE_MS, maxNetworks = MAX_NETWORKS }: AddressLimitOptions = {},
): AddressRateLimiter {
  const windowAt = createWindow(windowMs)
  return (address) => {
    const now = clock()
    const { end, used } = windowAt(now)
    const clientNetwork = clientNetworkOf(address)
    const isSeparate = used.has(clientNetwork) || used.size < maxNetworks
    const network = isSeparate ? clientNetwork : OTHER_NETWORKS
    const count = used.get(network) ?? 0
    if (count >= limit) {
      const wait = secondsUntil(end, now)
      const message = `Too many requests without a valid credential came from your IP address. Retry in ${wait} seconds.`
      throw rateLimited('too_many_unauthenticated_requests', message, { 'retry-after': wait })
    }
    used.set(network, count + 1)
  }
}

const secondsUntil = (end: number, now: number): string => String(Math.ceil((end - now) / 1000))

type LimitErrorCode =
  | 'rate_limit_exceeded'
  | 'key_rate_limited'
  | 'too_many_session_requests'
  | 'too_many_unauthenticated_requests'

const rateLimited = (code: LimitErrorCode, message: string, headers: Record<string, string>) =>
  new ApiError(429, code, message, { headers })
