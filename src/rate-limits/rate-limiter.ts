import type { Actor, Plan } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { OTHER_KEYS, OTHER_SESSIONS } from '#core/merged-credentials.ts'
import { clientNetworkOf } from '#lib/client-network.ts'
import { timestampOf } from '#lib/clock.ts'
import {
  endOfMinute,
  endOfWindow,
  type NamedLimit,
  type RateLimitCounter,
  type SpendResult,
} from './memory-counter.ts'

const MINUTE_MS = 60_000
/** Credentials of a workspace that are counted separately in a minute. */
const MAX_COUNTED_CREDENTIALS = 50
/** The busiest credentials of a minute that are reported separately. */
const MAX_REPORTED_CREDENTIALS = 10
/** Counts kept until they are taken, so that a failing database does not fill the memory. */
const MAX_BUFFERED_COUNTS = 50_000

/** The requests of a credential, or of several, in the minute that begins at `at`. */
interface CredentialRequestCount {
  at: string
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Requests answered with 429. */
  refused: number
}

/** Counts requests by workspace, minute and credential until the counts are taken. */
interface RequestUsage {
  record(actor: Actor, isRefused: boolean): void
  /** Takes the counts since the last call, by workspace. */
  drain(): Map<string, CredentialRequestCount[]>
}

export function createRequestUsage(clock = Date.now): RequestUsage {
  let finished = new Map<string, CredentialRequestCount[]>()
  let bufferedCount = 0
  let end = 0
  let at = ''
  let current = new Map<string, Map<string, CredentialRequestCount>>()

  function finishMinute() {
    for (const [workspace_id, counts] of current) {
      if (bufferedCount >= MAX_BUFFERED_COUNTS) break
      const reported = mergeAllButBusiest([...counts.values()])
      bufferedCount += reported.length
      finished.set(workspace_id, [...(finished.get(workspace_id) ?? []), ...reported])
    }
    current = new Map()
  }

  function getCount(actor: Actor): CredentialRequestCount {
    let counts = current.get(actor.workspace_id)
    if (!counts) {
      counts = new Map()
      current.set(actor.workspace_id, counts)
    }
    // The browsers of a person have a session each, and are counted as one.
    const credential_id = (actor.type === 'user' ? actor.user_id : actor.credential_id) ?? ''
    const present = counts.get(credential_id)
    if (present) return present
    const isSeparate = counts.size < MAX_COUNTED_CREDENTIALS
    const others = actor.type === 'user' ? otherSessions(at) : otherKeys(at)
    const own = { at, credential_id, credential_type: actor.type, used: 0, refused: 0 }
    const created = isSeparate ? { ...own, name: actor.credential_name ?? actor.name } : others
    const count = counts.get(created.credential_id) ?? created
    counts.set(count.credential_id, count)
    return count
  }

  return {
    record(actor, isRefused) {
      const now = clock()
      if (now >= end || now < end - MINUTE_MS) {
        finishMinute()
        const begin = Math.floor(now / MINUTE_MS) * MINUTE_MS
        end = begin + MINUTE_MS
        at = timestampOf(begin)
      }
      const count = getCount(actor)
      if (isRefused) count.refused += 1
      else count.used += 1
    },
    drain() {
      finishMinute()
      const counts = finished
      finished = new Map()
      bufferedCount = 0
      return counts
    },
  }
}

/** Wraps a rate limiter so that admitted and rejected requests are counted. */
export const withUsageCount =
  (limit: RateLimiter, usage: RequestUsage): RateLimiter =>
  (actor) => {
    const countAdmitted = <T>(headers: T): T => {
      usage.record(actor, false)
      return headers
    }
    const countRefused = (error: unknown): never => {
      usage.record(actor, true)
      throw error
    }
    try {
      const headers = limit(actor)
      return headers instanceof Promise
        ? headers.then(countAdmitted, countRefused)
        : countAdmitted(headers)
    } catch (error) {
      return countRefused(error)
    }
  }

const otherSessions = (at: string): CredentialRequestCount => ({
  at,
  credential_id: OTHER_SESSIONS,
  credential_type: 'user',
  name: '',
  used: 0,
  refused: 0,
})
const otherKeys = (at: string): CredentialRequestCount => ({
  at,
  credential_id: OTHER_KEYS,
  credential_type: 'others',
  name: '',
  used: 0,
  refused: 0,
})
const isOthers = ({ credential_id }: CredentialRequestCount): boolean =>
  credential_id === OTHER_KEYS || credential_id === OTHER_SESSIONS

/** The busiest credentials, and all others merged: sessions into one count, the rest into another. */
function mergeAllButBusiest(counts: CredentialRequestCount[]): CredentialRequestCount[] {
  const own = counts.filter((count) => !isOthers(count))
  if (own.length === counts.length && own.length <= MAX_REPORTED_CREDENTIALS) return own
  const busiest = own.toSorted((a, b) => totalOf(b) - totalOf(a)).slice(0, MAX_REPORTED_CREDENTIALS)
  const at = counts[0]?.at ?? ''
  const [sessions, keys] = [otherSessions(at), otherKeys(at)]
  for (const count of counts) {
    if (busiest.includes(count)) continue
    const others = count.credential_type === 'user' ? sessions : keys
    others.used += count.used
    others.refused += count.refused
  }
  return [...busiest, ...[keys, sessions].filter((others) => totalOf(others) > 0)]
}

const totalOf = ({ used, refused }: CredentialRequestCount): number => used + refused

/** A limit, and what the error says once it is reached. */
interface AppliedLimit extends NamedLimit {
  code: 'rate_limit_exceeded' | 'key_rate_limited'
  /** Who has used all requests of the minute. */
  subject: string
}

/** The limit of a request, and the smaller one within it, if there is one. */
interface RequestLimits {
  limit: AppliedLimit
  sublimit?: AppliedLimit | undefined
}

/**
 * Selects the limits of a request. The API keys and applications of a workspace share one limit,
 * within which a key may have its own; its sessions share another one of the same size. So a program
 * and the people in the web app never lock each other out.
 */
function selectLimits(perMinute: Record<Plan, number>, actor: Actor): RequestLimits {
  const { type, workspace_id, plan } = actor
  const limit = perMinute[plan]
  const code = 'rate_limit_exceeded'
  if (type === 'user') {
    return { limit: { name: `${workspace_id}:sessions`, limit, code, subject: 'The web app' } }
  }
  return {
    limit: { name: workspace_id, limit, code, subject: 'The workspace' },
    sublimit: keyLimit(actor, limit),
  }
}

/** The limit of the key itself. After a change of plan that of the workspace may be the smaller one. */
function keyLimit(
  { workspace_id, credential_id, rate_limit }: Actor,
  limit: number,
): AppliedLimit | undefined {
  if (!rate_limit || rate_limit >= limit) return undefined
  return {
    name: `${workspace_id}:${credential_id}`,
    limit: rate_limit,
    code: 'key_rate_limited',
    subject: 'This API key',
  }
}

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
