import { createApiKey } from '#auth/keys/api-keys.ts'
import { ensureAccount, type PreparedPassword } from '#auth/users/accounts.ts'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, type Plan } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import type { Role } from '#wire/rights.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'

const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']

/** A workspace with a person of each role, each with an API key of all scopes, and two projects. */
export interface TestWorkspace {
  workspace: string
  /** Ids of the people. */
  people: Record<Role, string>
  keys: Record<Role, string>
  /** Visible to the workspace, with the guest on its list. */
  project: string
  /** Private: only the owner is on its list. */
  hidden: string
}

/** A serial number keeps email addresses unique in a shared database. */
let serial = 0

/** Cannot be used to sign in. Most tests need no password, and a real hash is slow to compute. */
const NO_HASH: PreparedPassword = { password: 'unused', hash: 'unused' }

export async function createTestWorkspace(
  storage: Storage,
  plan: Plan = 'paid',
  password = NO_HASH,
): Promise<TestWorkspace> {
  const workspace = newId('wsp', storage.clock.now())
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  return storage.write(actor, async (tx) => {
    await createWorkspace(tx, { name: 'Test', plan, timezone: 'Europe/Zurich' })
    const made: [Role, string, string][] = []
    for (const role of ROLES) {
      serial += 1
      const email = `${role}.${process.pid}.${serial}@${workspace.slice(4)}.example`
      const name = `The ${role}`
      const account = { email, name, timezone: 'Europe/Zurich' }
      const { user_id } = await ensureAccount(tx, account, password)
      await createMembership(tx, { user_id, name, role })
      made.push([role, user_id, await createKeyIn(tx, user_id, SCOPES)])
    }
    const people = Object.fromEntries(
      made.map(([role, id]) => [role, id]),
    ) as TestWorkspace['people']
    const keys = Object.fromEntries(
      made.map(([role, , key]) => [role, key]),
    ) as TestWorkspace['keys']
    const by = { created_by_id: people.owner }
    const project = await createProjectRow(tx, { name: 'Engineering', prefix: 'ENG', ...by })
    const secret = { visibility: 'private', name: 'Hidden', prefix: 'HID' } as const
    const hidden = await createProjectRow(tx, { ...secret, ...by })
    await tx.run(insertPerson, { project_id: project, user_id: people.guest })
    return { workspace, people, keys, project, hidden }
  })
}

/** Creates another API key of a person, with these scopes only. */
export const createScopedKey = (
  storage: Storage,
  team: TestWorkspace,
  role: Role,
  scopes: readonly Scope[],
) =>
  storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
    createKeyIn(tx, team.people[role], scopes),
  )

async function createKeyIn(
  tx: Parameters<typeof createApiKey>[0],
  user_id: string,
  scopes: readonly Scope[],
): Promise<string> {
  const key = await createApiKey(tx, { user_id, name: 'test', scopes, expires_at: null })
  return key.api_key
}
