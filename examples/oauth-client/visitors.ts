import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Checks, Tokens } from './docket.ts'

/** Somebody at this site. Tokens stay on the server: the browser knows its cookie and nothing else. */
export interface Visitor {
  /** While they are at Docket. */
  checks?: Checks
  /** Once they are signed in; a promise, so that two requests at once renew them once. */
  tokens?: Promise<Tokens>
}

const COOKIE = 'tasks_visitor'
const MOST = 1_000

/** Visitors by the value of their cookie, in memory. A site with more than one process has a database. */
export function newVisitors() {
  const visitors = new Map<string, Visitor>()
  return {
    find({ headers }: IncomingMessage): Visitor | undefined {
      const value = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
      return value === undefined ? undefined : visitors.get(value)
    },

    /** Keeps a visitor under a new value, always: one that was known before sign-in is worth nothing after. */
    keep(visitor: Visitor): string {
      const value = randomBytes(32).toString('base64url')
      visitors.set(value, visitor)
      const [oldest = value] = visitors.keys()
      if (visitors.size > MOST) visitors.delete(oldest)
      // Lax: it comes along from Docket's redirect, and not with a form of another site.
      return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax`
    },
  }
}
