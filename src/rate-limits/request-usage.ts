import type { Actor } from '#core/actor.ts'
import { OTHER_KEYS, OTHER_SESSIONS } from '#core/merged-credentials.ts'
import { timestampOf } from '#lib/clock.ts'
import type { RateLimiter } from './rate-limiter.ts'

const MINUTE_MS = 60_000
/** Credentials of a workspace that are counted separately in a minute. */
const MAX_COUNTED_CREDENTIALS = 50
/** The busiest credentials of a minute that are reported separately. */
const MAX_REPORTED_CREDENTIALS = 10
/** Counts kept until they are taken, so that a failing database does not fill the memory. */
const MAX_BUFFERED_COUNTS = 50_000

/** The requests of a credential, or of several, in the minute that begins at `at`. */
export interface CredentialRequestCount {
  at: string
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Requests answered with 429. */
  refused: number
}

/** Counts requests by workspace, minute and credential until the counts are taken. */
export interface RequestUsage {
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
    const credential_id = actor.credential_id ?? ''
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
