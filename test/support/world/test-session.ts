import { createSession, sessionCookieName } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import type { Role } from '#wire/rights.ts'
import type { TestWorkspace } from './test-workspace.ts'

/** The session of a person of a workspace, with the headers that a client must send. */
export interface TestSession {
  id: string
  /** The cookie value. */
  value: string
  headers: { cookie: string; origin: string }
}

/** Creates a session for the person with this role, without a password. */
export async function createTestSession(
  storage: Storage,
  { workspace, people }: Pick<TestWorkspace, 'workspace' | 'people'>,
  role: Role,
  baseUrl = 'http://127.0.0.1:4000',
): Promise<TestSession> {
  const wanted = { user_id: people[role], workspace_id: workspace, user_agent: 'test' }
  const { id, value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, wanted))
  const cookie = `${sessionCookieName(baseUrl)}=${value}`
  return { id, value, headers: { cookie, origin: baseUrl } }
}
