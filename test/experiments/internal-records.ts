import { randomBytes } from 'node:crypto'
import { type Actor, NOBODY, type Role } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { ensureAccount, NO_PASSWORD } from '#identity/account.ts'
import { createApplication } from '#identity/applications.ts'
import { createKey } from '#identity/new-key.ts'
import { newId } from '#lib/id.ts'
import type { State } from '#resources/imports/internal.ts'
import { NO_PLAN, NOTHING_MADE } from '#resources/imports/plan.ts'
import { insertImport } from '#resources/imports/store.ts'
import { invite } from '#resources/invitations/operations.ts'
import { changeRole, join } from '#resources/members/membership.ts'
import type { TemplateTask } from '#resources/templates/internal.ts'
import { insertTemplate } from '#resources/templates/store.ts'
import { insertView } from '#resources/views/store.ts'
import type { Served } from '../support/engines.ts'
import { allowed } from '../support/grant.ts'
import { type Home, newHome } from '../support/home.ts'
import { type SignedIn, sessionOf } from '../support/session.ts'
import { made } from './world/call.ts'

export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']

/** A workspace whose people are signed in, with a task in its open and in its private project, and a deleted one. */
export interface World {
  storage: Storage
  home: Home
  sessions: Record<Role, SignedIn>
  tasks: { open: string; hidden: string; deleted: string }
  /** Makes something to be changed or ended, in the name of the owner. */
  fresh: <T>(make: (tx: WriteTx, home: Home) => Promise<T>) => Promise<T>
}

export async function newWorld({ storage, server, config }: Served): Promise<World> {
  const home = await newHome(storage)
  const actor: Actor = {
    ...{ ...NOBODY, role: 'owner', workspace_id: home.workspace },
    user_id: home.people.owner,
  }
  const session = async (role: Role) =>
    [role, await sessionOf(storage, home, role, config.baseUrl)] as const
  const sessions = Object.fromEntries(await Promise.all(ROLES.map(session)))
  const task = async (project_id: string) => {
    const body = { project_id, title: 'A task' }
    return (await made(server, home.keys.owner, { method: 'POST', url: '/api/v1/tasks', body })).id
  }
  const tasks = {
    open: await task(home.project),
    hidden: await task(home.hidden),
    deleted: await task(home.project),
  }
  await made(server, home.keys.owner, { method: 'DELETE', url: `/api/v1/tasks/${tasks.deleted}` })
  return {
    storage,
    home,
    sessions: sessions as World['sessions'],
    tasks,
    fresh: (make) => storage.write(actor, (tx) => make(tx, home)),
  }
}

export const open = ({ home }: World) => [home.project]
export const hidden = ({ home }: World) => [home.hidden]
export const openTask = ({ tasks }: World) => [tasks.open]
export const hiddenTask = ({ tasks }: World) => [tasks.hidden]
export const both = (project: (world: World) => string[], role: Role) => (world: World) => [
  ...project(world),
  world.home.people[role],
]

let serial = 0
const address = () => {
  serial += 1
  return `somebody.${process.pid}.${serial}@${Date.now()}.example`
}

export const member = async ({ fresh }: World) => [
  await fresh(async (tx) => {
    const account = { email: address(), name: 'Somebody', timezone: 'UTC' }
    const { user_id } = await ensureAccount(tx, account, NO_PASSWORD)
    await join(tx, { user_id, name: 'Somebody', role: 'member' })
    return user_id
  }),
]
export const person =
  (role: Role) =>
  ({ home }: World) => [home.people[role]]
export const keyOf =
  (whose?: Role) =>
  async ({ fresh }: World, role: Role) => [
    await fresh(async (tx, { people }) => {
      const user_id = people[whose ?? role]
      const scopes = ['tags:read'] as const
      return (await createKey(tx, { user_id, name: 'K', scopes, expires_at: null })).id
    }),
  ]
export const application = async ({ fresh }: World) => [await fresh(newApplication)]
export const grantOf =
  (whose?: Role) =>
  async ({ fresh }: World, role: Role) => [
    await fresh(async (tx, home) => {
      const of = { in_workspace: home.workspace, user_id: home.people[whose ?? role] }
      return allowed(tx, { ...of, application_id: await newApplication(tx, home) })
    }),
  ]
/** What another browser was asked. */
export const elsewhere = () => [randomBytes(16).toString('base64url')]
export const invitation = async ({ fresh }: World) => [
  await fresh(async (tx) => {
    const { invitation } = await invite(tx, { email: address(), role: 'member' })
    return invitation.id
  }),
]
export const viewOf =
  (whose?: Role, shared = false) =>
  async ({ fresh }: World, role: Role) => [
    await fresh(async (tx, { people, project }) => {
      const [id, maker] = [newId('viw'), people[whose ?? role]]
      await tx.run(insertView, {
        ...{ id, project_id: project, name: 'V', view: 'list', filter: '' },
        ...{ sort: 'position', grouping: 'status', lanes: 'none', only_for: shared ? '' : maker },
        ...{ created_by_id: maker, created_at: tx.now, updated_at: tx.now },
      })
      return id
    }),
  ]
const TASK: TemplateTask = {
  ...{ title: 'A task', description: null, priority: 'none', assignee_ids: [], tag_ids: [] },
  ...{ start_in_days: null, due_in_days: null, due_time: null, estimate_seconds: null },
  ...{ custom_fields: {}, parent: null, blocked_by: [] },
}
export const templateOf =
  (project: 'project' | 'hidden') =>
  async ({ fresh }: World) => [
    await fresh(async (tx, home) => {
      const id = newId('tpl', tx.instant)
      const more = { created_by_id: home.people.owner, created_at: tx.now, updated_at: tx.now }
      const row = { id, project_id: home[project], name: 'T', tasks: JSON.stringify([TASK]) }
      await tx.run(insertTemplate, { ...row, task_count: 1, ...more })
      return id
    }),
  ]
export const importIn = (status: State) => (world: World) => anImport(world, status)
export const session =
  (whose?: Role) =>
  async ({ storage, home }: World, role: Role) => [
    (await sessionOf(storage, home, whose ?? role)).id,
  ]

/** A file that was read; of the kinds of state in which each thing can be done. */
async function anImport({ fresh }: World, status: State): Promise<string[]> {
  return [
    await fresh(async (tx, { people }) => {
      const id = newId('imp')
      await tx.run(insertImport, {
        ...{ id, created_by_id: people.owner, file_id: newId('att'), filename: 'plans.csv' },
        ...{ size_bytes: 1, kind: 'csv', status, plan: JSON.stringify(NO_PLAN) },
        ...{ made: JSON.stringify(NOTHING_MADE), row_count: 0, done_count: 0, made_count: 0 },
        ...{ failed_count: 0, error: null, runner: '', runner_until: '' },
        ...{ created_at: tx.now, updated_at: tx.now },
      })
      return id
    }),
  ]
}

export async function anotherOwner(world: World): Promise<string[]> {
  const [user_id = ''] = await member(world)
  return [
    await world.fresh(async (tx) => {
      await changeRole(tx, { id: user_id, role: 'member' }, 'owner')
      return user_id
    }),
  ]
}

/** An application that can do whatever one can. */
async function newApplication(tx: WriteTx, { people }: Home): Promise<string> {
  const { id } = await createApplication(tx, {
    ...{ name: 'A', description: null, homepage_url: null, created_by_id: people.owner },
    ...({ type: 'confidential', distribution: 'public' } as const),
    ...{ redirect_uris: ['https://a.example/cb'], scopes: ['tasks:read'] as const },
  })
  return id
}
