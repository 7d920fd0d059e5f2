import { NOBODY, type Plan, type Role } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { ensureAccount, type PreparedPassword } from '#identity/account.ts'
import { createKey } from '#identity/new-key.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { addPerson, createProject } from '#resources/projects/create.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'

const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']

/** A workspace with a person of each role, each with a key of all scopes, and three projects. */
export interface Home {
  workspace: string
  /** Ids of the people. */
  people: Record<Role, string>
  keys: Record<Role, string>
  /** Open to the workspace, and listing the guest. */
  project: string
  /** Private: only the owner is in its list. */
  hidden: string
}

/** Serial, so that e-mail addresses differ in a shared database. */
let serial = 0

/** Nobody can sign in with it: most tests need no password, and a real hash takes long. */
const NO_HASH: PreparedPassword = { password: 'unused', hash: 'unused' }

export async function newHome(
  storage: Storage,
  plan: Plan = 'paid',
  password = NO_HASH,
): Promise<Home> {
  const workspace = newId('wsp')
  const actor = { ...NOBODY, workspace_id: workspace }
  return storage.write(actor, async (tx) => {
    await createWorkspace(tx, { name: 'Test', plan, timezone: 'Europe/Zurich' })
    const made: [Role, string, string][] = []
    for (const role of ROLES) {
      serial += 1
      const email = `${role}.${process.pid}.${serial}@${workspace.slice(4)}.example`
      const name = `The ${role}`
      const account = { email, name, timezone: 'Europe/Zurich' }
      const { user_id } = await ensureAccount(tx, account, password)
      await join(tx, { user_id, name, role })
      made.push([role, user_id, await keyIn(tx, user_id, SCOPES)])
    }
    const people = Object.fromEntries(made.map(([role, id]) => [role, id])) as Home['people']
    const keys = Object.fromEntries(made.map(([role, , key]) => [role, key])) as Home['keys']
    const by = { created_by_id: people.owner }
    const project = await createProject(tx, { name: 'Engineering', prefix: 'ENG', ...by })
    const secret = { visibility: 'private', name: 'Hidden', prefix: 'HID' } as const
    const hidden = await createProject(tx, { ...secret, ...by })
    await tx.run(addPerson, { project_id: project, user_id: people.guest })
    return { workspace, people, keys, project, hidden }
  })
}

/** Another key of a person, with these scopes only. */
export const newKeyOf = (storage: Storage, home: Home, role: Role, scopes: readonly Scope[]) =>
  storage.write({ ...NOBODY, workspace_id: home.workspace }, (tx) =>
    keyIn(tx, home.people[role], scopes),
  )

async function keyIn(
  tx: Parameters<typeof createKey>[0],
  user_id: string,
  scopes: readonly Scope[],
): Promise<string> {
  const key = await createKey(tx, { user_id, name: 'test', scopes, expires_at: null })
  return key.api_key
}
