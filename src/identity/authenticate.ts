import { hash } from 'node:crypto'
import { type Actor, NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import { isToken } from '#lib/token.ts'
import type { Scope } from '#wire/scopes.ts'
import { cookieIn, isSessionValue } from './cookie.ts'
import { generation } from './generation.ts'
import { keyByHash } from './keys.ts'
import { rememberUse, usesIn } from './last-use.ts'
import { actorOfToken, isAccessToken } from './oauth/access.ts'
import { findSession } from './sessions.ts'

/** Turns the text of an Authorization or a Cookie header into an actor, or refuses with 401. */
export interface Authenticator {
  /** With an Authorization it alone decides (contract 4). */
  authenticate(
    authorization: string | undefined,
    cookie: string | undefined,
  ): Actor | Promise<Actor>
  /** Credentials, roles, members or plans were changed by this process: it binds from the next request. */
  doubt(): void
  /** Writes down when credentials were last used. */
  flush(): Promise<void>
}

/**
 * How long what was found is believed without asking whether it changed. A change by this process or
 * another is seen after that; the command line waits so long before it returns.
 */
export const BELIEVED_MS = 200
const MOST_KNOWN = 10_000
/** A session is looked up anew so often, for by its last use it may have ended. */
const SESSION_BELIEVED_MS = 60 * 60 * 1000
/** Its last use is noted so often. */
const NOTED_EVERY_MS = 60 * 1000

interface Believed {
  actor: Actor
  until: number
  notedAt: number
}

export const hashOfKey = (key: string): string => hash('sha256', key)

/**
 * The one place where a credential becomes an actor: API keys, access tokens, and sessions, whose
 * cookie has the name `cookieName`.
 */
export function authenticator(storage: Storage, cookieName: string): Authenticator {
  const known = new Map<string, Actor>()
  const sessions = new Map<string, Believed>()
  const used = rememberUse(usesIn(storage))
  const changes = generation(storage, BELIEVED_MS, () => {
    known.clear()
    sessions.clear()
  })

  async function find(authorization: string): Promise<Actor> {
    const key = /^bearer +(.+)$/i.exec(authorization)?.[1]
    if (key === undefined) throw unauthenticated(authorization === '' ? 'none' : 'scheme')
    const isApp = isAccessToken(key)
    if (!isApp && !isToken('dkt_', key)) throw unauthenticated('invalid')
    const isUnchanged = changes.watch()
    const actor = await storage.read(NOBODY, (tx) =>
      isApp ? actorOfToken(tx, key) : actorOfKey(tx, key),
    )
    if (!actor) throw unauthenticated('invalid')
    if (isUnchanged()) remember(known, authorization, actor)
    return actor
  }

  async function openSession(value: string): Promise<Believed> {
    const isUnchanged = changes.watch()
    const now = Date.now()
    const actor = await findSession(storage, value, now)
    if (!actor) throw unauthenticated('ended')
    const until = Math.min(Date.parse(actor.expires_at ?? ''), now + SESSION_BELIEVED_MS)
    const believed = { actor, until, notedAt: 0 }
    if (isUnchanged()) remember(sessions, value, believed)
    return believed
  }

  function admit(actor: Actor): Actor {
    const now = Date.now()
    if (actor.expires_at !== null && Date.parse(actor.expires_at) <= now) {
      throw unauthenticated('expired')
    }
    used.note(actor, now)
    return actor
  }

  function admitSession(session: Believed): Actor {
    const now = Date.now()
    if (now - session.notedAt >= NOTED_EVERY_MS) {
      session.notedAt = now
      used.note(session.actor, now)
    }
    return session.actor
  }

  function byHeader(authorization: string): Actor | Promise<Actor> {
    const actor = changes.settled() ? known.get(authorization) : undefined
    if (actor) return admit(actor)
    return changes
      .settle()
      .then(() => known.get(authorization) ?? find(authorization))
      .then(admit)
  }

  function bySession(value: string): Actor | Promise<Actor> {
    const believed = () => {
      const session = sessions.get(value)
      return session && Date.now() < session.until ? session : undefined
    }
    const session = changes.settled() ? believed() : undefined
    if (session) return admitSession(session)
    return changes
      .settle()
      .then(() => believed() ?? openSession(value))
      .then(admitSession)
  }

  return {
    authenticate(authorization, cookie) {
      if (authorization !== undefined) return byHeader(authorization)
      const value = cookieIn(cookie, cookieName)
      if (value === undefined) throw unauthenticated('none')
      if (!isSessionValue(value)) throw unauthenticated('ended')
      return bySession(value)
    },
    doubt: changes.doubt,
    flush: used.flush,
  }
}

async function actorOfKey(tx: ReadTx, key: string): Promise<Actor | undefined> {
  const found = await tx.one(keyByHash, { hash: hashOfKey(key) })
  return (
    found && { ...found, type: 'api_key', scopes: new Set(JSON.parse(found.scopes) as Scope[]) }
  )
}

function remember<T>(known: Map<string, T>, name: string, value: T): void {
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(name, value)
}

const REASONS = {
  none: [
    'authentication_required',
    "Send an API key or access token as 'Authorization: Bearer …'.",
  ],
  scheme: ['authentication_required', "Only 'Authorization: Bearer …' is understood here."],
  ended: ['authentication_required', 'There is no session, or it has ended: sign in.'],
  invalid: ['invalid_token', 'This key or token is not valid, or was revoked.'],
  expired: ['token_expired', 'This key or token has expired.'],
} as const

/** A 401; `http` adds the challenge, which names the address of the installation. */
export function unauthenticated(reason: keyof typeof REASONS): Refusal {
  const [code, message] = REASONS[reason]
  return new Refusal(401, code, message)
}
