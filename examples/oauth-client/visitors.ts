import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SignInChecks, UserTokens } from './docket.ts'

/** A visitor of this site. Tokens stay on the server: the browser has only a session cookie. */
export interface Visitor {
  /** Set while they sign in at Docket. */
  checks?: SignInChecks
  /** Set once they are signed in; a promise, so that parallel requests renew them only once. */
  tokens?: Promise<UserTokens>
}

const COOKIE = 'tasks_visitor'
const MAX_VISITORS = 1_000

/** Visitors by cookie value, in memory. A site with several processes needs a database. */
export function createVisitorStore() {
  const visitors = new Map<string, Visitor>()
  return {
    find({ headers }: IncomingMessage): Visitor | undefined {
      const value = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
      return value === undefined ? undefined : visitors.get(value)
    },

    /** Stores a visitor under a new cookie value, always: this prevents session fixation. */
    keep(visitor: Visitor): string {
      const value = randomBytes(32).toString('base64url')
      visitors.set(value, visitor)
      const [oldest = value] = visitors.keys()
      if (visitors.size > MAX_VISITORS) visitors.delete(oldest)
      // Lax: sent with Docket's redirect, but not with a form of another site.
      return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax`
    },
  }
}
