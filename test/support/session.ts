import { NOBODY, type Role } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { beginSession } from '#identity/sessions.ts'
import type { Home } from './home.ts'

/** A person of a home who is signed in, as a client that is no browser sends it. */
export interface SignedIn {
  id: string
  /** The value of the cookie. */
  value: string
  headers: { cookie: string; origin: string }
}

/** Signs the person of a role in, without a password. */
export async function sessionOf(
  storage: Storage,
  { workspace, people }: Pick<Home, 'workspace' | 'people'>,
  role: Role,
  baseUrl = 'http://127.0.0.1:4000',
): Promise<SignedIn> {
  const wanted = { user_id: people[role], workspace_id: workspace, user_agent: 'test' }
  const { id, value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
  const cookie = `${sessionCookie(baseUrl)}=${value}`
  return { id, value, headers: { cookie, origin: baseUrl } }
}
