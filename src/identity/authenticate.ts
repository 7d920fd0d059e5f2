import { hash } from 'node:crypto'
import { type Actor, NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Storage } from '#core/tx.ts'
import { isToken } from '#lib/token.ts'
import type { Scope } from '#wire/scopes.ts'
import { generation } from './generation.ts'
import { keyByHash } from './keys.ts'
import { rememberUse } from './last-use.ts'

/** Turns the text of an Authorization header into an actor, or refuses with 401. */
export interface Authenticator {
  authenticate(authorization: string | undefined): Actor | Promise<Actor>
  /** Writes down when credentials were last used. */
  flush(): Promise<void>
}

/**
 * How long what was found is believed without asking whether it changed. A change by this process or
 * another is seen after that; the command line waits so long before it returns.
 */
export const BELIEVED_MS = 200
const MOST_KNOWN = 10_000

export const hashOfKey = (key: string): string => hash('sha256', key)

/**
 * The one place where a credential becomes an actor. API keys are here; the session cookie and
 * access tokens join as further kinds of `find`, giving the same Actor.
 */
export function authenticator(storage: Storage): Authenticator {
  const known = new Map<string, Actor>()
  const used = rememberUse(storage)
  const changes = generation(storage, BELIEVED_MS, () => known.clear())

  async function find(authorization: string): Promise<Actor> {
    const key = /^bearer +(.+)$/i.exec(authorization)?.[1]
    if (key === undefined) throw unauthenticated(authorization === '' ? 'none' : 'scheme')
    if (!isToken('dkt_', key)) throw unauthenticated('invalid')
    const found = await storage.read(NOBODY, (tx) => tx.one(keyByHash, { hash: hashOfKey(key) }))
    if (!found) throw unauthenticated('invalid')
    const actor: Actor = {
      ...found,
      type: 'api_key',
      scopes: new Set(JSON.parse(found.scopes) as Scope[]),
    }
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(authorization, actor)
    return actor
  }

  function admit(actor: Actor): Actor {
    const now = Date.now()
    if (actor.expires_at !== null && Date.parse(actor.expires_at) <= now) {
      throw unauthenticated('expired')
    }
    used.note(actor, now)
    return actor
  }

  return {
    authenticate(authorization = '') {
      const actor = changes.settled() ? known.get(authorization) : undefined
      if (actor) return admit(actor)
      return changes
        .settle()
        .then(() => known.get(authorization) ?? find(authorization))
        .then(admit)
    },
    flush: used.flush,
  }
}

const REASONS = {
  none: [
    'authentication_required',
    "Send an API key or access token as 'Authorization: Bearer …'.",
  ],
  scheme: ['authentication_required', "Only 'Authorization: Bearer …' is understood here."],
  invalid: ['invalid_token', 'This key or token is not valid, or was revoked.'],
  expired: ['token_expired', 'This key or token has expired.'],
} as const

/** A 401; `http` adds the challenge, which names the address of the installation. */
export function unauthenticated(reason: keyof typeof REASONS): Refusal {
  const [code, message] = REASONS[reason]
  return new Refusal(401, code, message)
}
