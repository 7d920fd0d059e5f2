import { hash } from 'node:crypto'
import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { isToken } from '#lib/token.ts'
import { watchAuthVersion } from './auth-version.ts'
import { toApiKeyActor } from './keys/api-key-actor.ts'
import { apiKeyByHash } from './keys/api-key-store.ts'
import { createUseRecorder, createUseWriter } from './last-use.ts'
import { authenticateAccessToken, isAccessToken } from './oauth/grants.ts'
import { authenticateSession, isSessionCookieValue, readCookie } from './sessions/sessions.ts'

/** Resolves an Authorization or Cookie header to an actor, or throws 401. */
export interface Authenticator {
  /** If there is an Authorization header, the cookie is ignored (docs/spec/api.md#authentication-and-authorization). */
  authenticate(
    authorization: string | undefined,
    cookie: string | undefined,
  ): UserActor | Promise<UserActor>
  /**
   * Returns the workspace of a credential that this process has accepted lately, without checking it
   * again: for load shedding, never to grant access. Undefined for any other.
   */
  findRecentWorkspace(
    authorization: string | undefined,
    cookie: string | undefined,
  ): string | undefined
  /**
   * Call this after this process has changed credentials, roles, members or plans, so that the
   * change applies from the next request on.
   */
  invalidate(): void
  /** Resolves to another number whenever credentials, roles, members or plans may have changed, in any process. */
  loadRights(): Promise<number>
  /** Stores when credentials were last used. */
  flush(): Promise<void>
}

/**
 * How long cached actors are used without checking the auth version. Changes by other processes
 * take effect within this time, so the command line waits this long before it returns.
 */
export const AUTH_CACHE_TTL_MS = 200
const MAX_CACHED_ACTORS = 10_000
/** Sessions are read again after this time, because they also end by disuse. */
const SESSION_CACHE_TTL_MS = HOUR_MS
/** The last use of a session is recorded at most this often. */
const USE_RECORD_INTERVAL_MS = 60 * 1000

interface CachedSession {
  actor: UserActor
  until: number
  recordedAt: number
}

export const hashCredential = (key: string): string => hash('sha256', key)

/**
 * The only place where a credential becomes an actor. It accepts API keys, access tokens, and
 * sessions in the cookie `cookieName`.
 */
export function createAuthenticator(storage: Storage, cookieName: string): Authenticator {
  const actors = new Map<string, UserActor>()
  const sessions = new Map<string, CachedSession>()
  const uses = createUseRecorder(createUseWriter(storage))
  const version = watchAuthVersion(storage, AUTH_CACHE_TTL_MS, () => {
    actors.clear()
    sessions.clear()
  })

  const findActor = shareReads(version.snapshot, async (token, isUnchanged) => {
    const isApp = isAccessToken(token)
    if (!isApp && !isToken('dkt_', token)) throw unauthenticated('invalid')
    const actor = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      isApp ? authenticateAccessToken(tx, token) : findActorOfApiKey(tx, token),
    )
    if (!actor) throw unauthenticated('invalid')
    if (isUnchanged()) addToCache(actors, token, actor)
    return actor
  })

  const loadSession = shareReads(version.snapshot, async (value, isUnchanged) => {
    const now = Date.now()
    const actor = await authenticateSession(storage, value, now)
    if (!actor) throw unauthenticated('ended')
    const until = Math.min(Date.parse(actor.expires_at ?? ''), now + SESSION_CACHE_TTL_MS)
    const session: CachedSession = { actor, until, recordedAt: 0 }
    if (isUnchanged()) addToCache(sessions, value, session)
    return session
  })

  function admitActor(actor: UserActor): UserActor {
    const now = Date.now()
    if (actor.expires_at !== null && Date.parse(actor.expires_at) <= now) {
      throw unauthenticated('expired')
    }
    uses.record(actor, now)
    return actor
  }

  function admitSession(session: CachedSession): UserActor {
    const now = Date.now()
    if (now - session.recordedAt >= USE_RECORD_INTERVAL_MS) {
      session.recordedAt = now
      uses.record(session.actor, now)
    }
    return session.actor
  }

  function authenticateByHeader(authorization: string): UserActor | Promise<UserActor> {
    const token = parseBearerToken(authorization)
    if (token === undefined) throw unauthenticated(authorization === '' ? 'none' : 'scheme')
    const actor = version.isFresh() ? actors.get(token) : undefined
    if (actor) return admitActor(actor)
    return version
      .refresh()
      .then(() => actors.get(token) ?? findActor(token))
      .then(admitActor)
  }

  function authenticateBySession(value: string): UserActor | Promise<UserActor> {
    const cachedSession = () => {
      const session = sessions.get(value)
      return session && Date.now() < session.until ? session : undefined
    }
    const session = version.isFresh() ? cachedSession() : undefined
    if (session) return admitSession(session)
    return version
      .refresh()
      .then(() => cachedSession() ?? loadSession(value))
      .then(admitSession)
  }

  return {
    authenticate(authorization, cookie) {
      if (authorization !== undefined) return authenticateByHeader(authorization)
      const value = readCookie(cookie, cookieName)
      if (value === undefined) throw unauthenticated('none')
      if (!isSessionCookieValue(value)) throw unauthenticated('ended')
      return authenticateBySession(value)
    },
    findRecentWorkspace(authorization, cookie) {
      if (authorization !== undefined)
        return actors.get(parseBearerToken(authorization) ?? '')?.workspace_id
      return sessions.get(readCookie(cookie, cookieName) ?? '')?.actor.workspace_id
    },
    invalidate: version.invalidate,
    loadRights: version.loadEpoch,
    flush: uses.flush,
  }
}

/**
 * The token of an Authorization header. Nothing is cached by the header itself, which has any number of
 * spellings for one token: they could fill the cache, and evict everybody.
 */
const parseBearerToken = (authorization: string): string | undefined =>
  /^bearer +(.+)$/i.exec(authorization)?.[1]

/**
 * Lets requests with the same credential share one read, unless something has changed since it began.
 * Of two reads beside a revocation by another process, the earlier one could otherwise end last, and
 * be cached after the later one was answered with 401.
 */
function shareReads<T>(
  snapshot: () => () => boolean,
  read: (credential: string, isUnchanged: () => boolean) => Promise<T>,
): (credential: string) => Promise<T> {
  const running = new Map<string, { result: Promise<T>; isUnchanged: () => boolean }>()
  return (credential) => {
    const current = running.get(credential)
    if (current?.isUnchanged()) return current.result
    const isUnchanged = snapshot()
    const result = read(credential, isUnchanged).finally(() => {
      if (running.get(credential)?.result === result) running.delete(credential)
    })
    running.set(credential, { result, isUnchanged })
    return result
  }
}

async function findActorOfApiKey(tx: ReadTx, key: string): Promise<UserActor | undefined> {
  const row = await tx.one(apiKeyByHash, { hash: hashCredential(key) })
  return row && toApiKeyActor(row)
}

function addToCache<T>(cache: Map<string, T>, key: string, value: T): void {
  if (cache.size >= MAX_CACHED_ACTORS) cache.clear()
  cache.set(key, value)
}

const REASONS = {
  none: [
    'authentication_required',
    'Send an API key or access token in the header `Authorization: Bearer …`.',
  ],
  scheme: ['authentication_required', 'The `Authorization` header must use the scheme `Bearer`.'],
  ended: [
    'authentication_required',
    'You are not signed in, or your session has ended. Sign in again.',
  ],
  invalid: ['invalid_token', 'This key or token is invalid or has been revoked.'],
  expired: ['token_expired', 'This key or token has expired.'],
} as const

/** A 401 error. `http` adds the challenge, which contains the base URL of the installation. */
export function unauthenticated(reason: keyof typeof REASONS): ApiError {
  const [code, message] = REASONS[reason]
  return new ApiError(401, code, message)
}
