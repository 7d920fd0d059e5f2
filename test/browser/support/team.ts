import { sessionCookieName } from '#auth/sessions/sessions.ts'
import { limitByAddress, limitResetsByAddress } from '#auth/sign-in/attempt-limits.ts'
import { preparePassword } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { Role } from '#wire/rights.ts'
import { createTestSession } from '../../support/world/test-session.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'
import type { TestServer } from './test-server.ts'

export const TEAM_PASSWORD = 'correct horse battery staple'

/** A person with an account, called "The <role>". */
export interface TeamMember {
  id: string
  role: Role
  name: string
  email: string
  password: string
  /** An API key with all scopes. */
  key: string
}

/** A workspace for one test, with a person of each role and three projects. */
export interface Team {
  workspace: string
  people: Record<Role, TeamMember>
  /** ENG, which everybody sees; `hidden` is HID, which only the owner sees. */
  project: string
  hidden: string
}

/** Hashed once per process, because hashing is slow on purpose. */
let preparedPassword: ReturnType<typeof preparePassword> | undefined

/** All tests share this address, so the failed sign-ins of one must not count in the next. */
const CLIENT_ADDRESS = '127.0.0.1'

/** Creates a workspace on a running server. */
export async function createTeam({ storage }: Pick<TestServer, 'storage'>): Promise<Team> {
  preparedPassword ??= preparePassword(TEAM_PASSWORD)
  const team = await createTestWorkspace(storage, 'paid', await preparedPassword)
  const persons = Object.entries(team.people) as [Role, string][]
  const made = await storage.write(
    { ...ANONYMOUS_ACTOR, workspace_id: team.workspace },
    async (tx) => {
      const rows: [Role, TeamMember][] = []
      for (const [role, id] of persons) {
        const email = (await tx.one(emailOf, { id }))?.email ?? ''
        const name = `The ${role}`
        rows.push([role, { id, role, name, email, password: TEAM_PASSWORD, key: team.keys[role] }])
      }
      for (const { name } of [
        limitByAddress(CLIENT_ADDRESS),
        limitResetsByAddress(CLIENT_ADDRESS),
      ]) {
        await tx.run(forgetAttempts, { subject: name })
      }
      return rows
    },
  )
  const people = Object.fromEntries(made) as Team['people']
  return { workspace: team.workspace, people, project: team.project, hidden: team.hidden }
}

const emailOf = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select('email').where('id', '=', $.id),
)

const forgetAttempts = unscopedCommand((db, $: { subject: string }) =>
  db.deleteFrom('attempts').where('subject', '=', $.subject),
)

/** Makes it so that the sessions of a person began yesterday. */
export async function ageSessions(
  { storage }: Pick<TestServer, 'storage'>,
  { id: user_id }: Pick<TeamMember, 'id'>,
): Promise<void> {
  const at = new Date(Date.now() - 86_400_000).toISOString()
  await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(setSessionStart, { user_id, at }))
}

const setSessionStart = unscopedCommand((db, $: { user_id: string; at: string }) =>
  db
    .updateTable('sessions')
    .set({ created_at: $.at, confirmed_at: null })
    .where('user_id', '=', $.user_id),
)

/** A team as the helpers outside of browser tests know it, with the ids of its people. */
export const toTestTeam = ({ workspace, people: { owner, admin, member, guest } }: Team) => ({
  workspace,
  people: { owner: owner.id, admin: admin.id, member: member.id, guest: guest.id },
})

/** Creates a session of a person and returns its cookie for a browser. */
export async function createSessionCookie({ storage, url }: TestServer, team: Team, role: Role) {
  const { value } = await createTestSession(storage, toTestTeam(team), role, url)
  return { name: sessionCookieName(url), value, url, httpOnly: true, sameSite: 'Lax' as const }
}
