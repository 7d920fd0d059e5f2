import { randomBytes } from 'node:crypto'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { createOAuthApplication } from '#auth/oauth/applications.ts'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { type Actor, createUserActor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { insertPushDevice } from '#db/notifications/push-devices.ts'
import { newId } from '#lib/id.ts'
import { insertComment, insertDeletedComment, removeComment } from '#resources/comments/store.ts'
import type { ImportStatus } from '#resources/imports/internal.ts'
import { EMPTY_IMPORT_PLAN, NO_IMPORTED_RECORDS } from '#resources/imports/load.ts'
import { insertImport } from '#resources/imports/store.ts'
import { invite } from '#resources/invitations/operations.ts'
import { changeRole, createMembership } from '#resources/members/membership.ts'
import { insertTag } from '#resources/tags/store.ts'
import { insertTemplate } from '#resources/templates/store.ts'
import { toTemplateTasks } from '#resources/templates/template-tasks.ts'
import { insertView } from '#resources/web-app/views/store.ts'
import type { Role } from '#wire/rights.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { insertTestPendingOperation } from '../support/data/pending-operation.ts'
import { createTaskRecord } from '../support/data/task-record.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { insertTestGrant } from '../support/oauth/test-grant.ts'
import { createTestSession, type TestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { ALL_ROLES } from './roles.ts'

/**
 * A workspace with signed-in people, tasks in its open and private projects, and a deleted task.
 */
export interface SignedInWorkspace {
  storage: Storage
  team: TestWorkspace
  sessions: Record<Role, TestSession>
  tasks: { open: string; hidden: string; deleted: string }
  /** Creates a record as the owner, for a request that changes or deletes it. */
  create: <T>(make: (tx: WriteTx, team: TestWorkspace) => Promise<T>) => Promise<T>
}

export async function createSignedInWorkspace({
  storage,
  server,
  config,
}: TestDocket): Promise<SignedInWorkspace> {
  const team = await createTestWorkspace(storage)
  const actor: Actor = {
    ...createUserActor(team.people.owner, team.workspace),
    role: 'owner',
  }
  const session = async (role: Role) =>
    [role, await createTestSession(storage, team, role, config.baseUrl)] as const
  const sessions = Object.fromEntries(await Promise.all(ALL_ROLES.map(session)))
  const task = async (project_id: string) => {
    const body = { project_id, title: 'A task' }
    return (
      await callApiForJson(server, team.keys.owner, { method: 'POST', url: '/api/v1/tasks', body })
    ).id
  }
  const tasks = {
    open: await task(team.project),
    hidden: await task(team.hidden),
    deleted: await task(team.project),
  }
  await callApiForJson(server, team.keys.owner, {
    method: 'DELETE',
    url: `/api/v1/tasks/${tasks.deleted}`,
  })
  return {
    storage,
    team,
    sessions: sessions as SignedInWorkspace['sessions'],
    tasks,
    create: (make) => storage.write(actor, (tx) => make(tx, team)),
  }
}

export const openProjectIds = ({ team }: SignedInWorkspace) => [team.project]
export const hiddenProjectIds = ({ team }: SignedInWorkspace) => [team.hidden]
export const openTaskIds = ({ tasks }: SignedInWorkspace) => [tasks.open]
export const hiddenTaskIds = ({ tasks }: SignedInWorkspace) => [tasks.hidden]
export const withUserId =
  (project: (world: SignedInWorkspace) => string[], role: Role) => (world: SignedInWorkspace) => [
    ...project(world),
    world.team.people[role],
  ]

let serial = 0
const newEmail = () => {
  serial += 1
  return `somebody.${process.pid}.${serial}@${Date.now()}.example`
}

export const newMemberIds = async ({ create }: SignedInWorkspace) => [
  await create(async (tx) => {
    const account = { email: newEmail(), name: 'Somebody', timezone: 'UTC' }
    const { user_id } = await ensureAccount(tx, account, NO_PASSWORD)
    await createMembership(tx, { user_id, name: 'Somebody', role: 'member' })
    return user_id
  }),
]
export const userIds =
  (role: Role) =>
  ({ team }: SignedInWorkspace) => [team.people[role]]
export const newApiKeyIds =
  (whose?: Role) =>
  async ({ create }: SignedInWorkspace, role: Role) => [
    await create(async (tx, { people }) => {
      const user_id = people[whose ?? role]
      const scopes = ['tags:read'] as const
      return (await createApiKey(tx, { user_id, name: 'K', scopes, expires_at: null })).id
    }),
  ]
export const newApplicationIds = async ({ create }: SignedInWorkspace) => [
  await create(createTestApplication),
]
export const newGrantIds =
  (whose?: Role) =>
  async ({ create }: SignedInWorkspace, role: Role) => [
    await create(async (tx, team) => {
      const of = { in_workspace: team.workspace, user_id: team.people[whose ?? role] }
      return insertTestGrant(tx, { ...of, application_id: await createTestApplication(tx, team) })
    }),
  ]
export const newPendingOperationIds =
  (whose?: Role) =>
  async ({ create }: SignedInWorkspace, role: Role) => [
    await create((tx, { people }) => insertTestPendingOperation(tx, people[whose ?? role])),
  ]
/** The id of an interaction of another browser. */
export const unknownInteractionIds = () => [randomBytes(16).toString('base64url')]
export const newInvitationIds = async ({ create }: SignedInWorkspace) => [
  await create(async (tx) => {
    const { invitation } = await invite(tx, { email: newEmail(), role: 'member' })
    return invitation.id
  }),
]
export const newPushDeviceIds =
  (whose?: Role) =>
  async ({ create }: SignedInWorkspace, role: Role) => [
    await create(async (tx, { people }) => {
      const [id, owner] = [newId('psh'), whose ?? role]
      await tx.run(insertPushDevice, {
        ...{ id, user_id: people[owner], session_id: newId('ses'), endpoint_hash: id },
        ...{ subscription: tx.encrypt('{}'), created_at: tx.now, pushed_to: null },
      })
      return id
    }),
  ]
export const newDeletedCommentIds =
  (on: 'open' | 'hidden', whose?: Role) =>
  async ({ create, tasks }: SignedInWorkspace, role: Role) => [
    await create(async (tx, { people }) => {
      const id = newId('cmt', tx.nowMs)
      await tx.run(insertComment, {
        ...{ id, task_id: tasks[on], author_id: people[whose ?? role], body: 'Gone' },
        ...{ parent_id: null, mentions: '[]', source: 'api', edited_at: null },
        ...{ created_at: tx.now, updated_at: tx.now },
      })
      await tx.run(insertDeletedComment, { id, deleted_at: tx.now, deleted_by_id: null })
      await tx.run(removeComment, { id })
      return id
    }),
  ]
export const newViewIds =
  (whose?: Role, shared = false, project_id?: null) =>
  async ({ create }: SignedInWorkspace, role: Role) => [
    await create(async (tx, { people, project }) => {
      const [id, maker] = [newId('viw'), people[whose ?? role]]
      await tx.run(insertView, {
        ...{
          id,
          project_id: project_id === null ? null : project,
          name: 'V',
          view: 'list',
          filter: '',
        },
        ...{ sort: 'position', grouping: 'status', lanes: 'none', only_for: shared ? '' : maker },
        ...{ created_by_id: maker, created_at: tx.now, updated_at: tx.now },
      })
      return id
    }),
  ]
export const newTemplateIds =
  (project: 'project' | 'hidden') =>
  async ({ create }: SignedInWorkspace) => [
    await create(async (tx, team) => {
      const id = newId('tpl', tx.nowMs)
      const more = { created_by_id: team.people.owner, created_at: tx.now, updated_at: tx.now }
      const row = {
        id,
        project_id: team[project],
        name: 'T',
        tasks: JSON.stringify(toTemplateTasks([createTaskRecord()], 'UTC')),
      }
      await tx.run(insertTemplate, { ...row, task_count: 1, ...more })
      return id
    }),
  ]
export const newTagIds =
  (project: 'project' | 'hidden') =>
  async ({ create }: SignedInWorkspace) => [
    await create(async (tx, team) => {
      const [id, name] = [newId('tag', tx.nowMs), newId('tag', tx.nowMs)]
      const more = { created_by_id: team.people.owner, created_at: tx.now, updated_at: tx.now }
      const row = { id, project_id: team[project], name, name_key: name, name_words: ` ${name}` }
      await tx.run(insertTag, { ...row, color: '#6b7280', task_count: 0, ...more })
      return id
    }),
  ]
export const newImportIds = (status: ImportStatus) => (world: SignedInWorkspace) =>
  createImport(world, status)
export const newSessionIds =
  (whose?: Role) =>
  async ({ storage, team }: SignedInWorkspace, role: Role) => [
    (await createTestSession(storage, team, whose ?? role)).id,
  ]

/** Creates an import in a state. */
async function createImport(
  { create }: SignedInWorkspace,
  status: ImportStatus,
): Promise<string[]> {
  return [
    await create(async (tx, { people }) => {
      const id = newId('imp')
      await tx.run(insertImport, {
        ...{ id, created_by_id: people.owner, file_id: newId('att'), filename: 'plans.csv' },
        ...{ size_bytes: 1, kind: 'csv', status, plan: JSON.stringify(EMPTY_IMPORT_PLAN) },
        ...{
          made: JSON.stringify(NO_IMPORTED_RECORDS),
          row_count: 0,
          done_count: 0,
          made_count: 0,
        },
        ...{ failed_count: 0, warned_count: 0, error: null, runner: '', runner_until: '' },
        ...{ created_at: tx.now, updated_at: tx.now },
      })
      return id
    }),
  ]
}

export async function newOwnerIds(world: SignedInWorkspace): Promise<string[]> {
  const [user_id = ''] = await newMemberIds(world)
  return [
    await world.create(async (tx) => {
      await changeRole(tx, { id: user_id, role: 'member' }, 'owner')
      return user_id
    }),
  ]
}

/** Creates a public, confidential application. */
async function createTestApplication(tx: WriteTx, { people }: TestWorkspace): Promise<string> {
  const { id } = await createOAuthApplication(tx, {
    ...{ name: 'A', description: null, homepage_url: null, created_by_id: people.owner },
    ...({ type: 'confidential', distribution: 'public' } as const),
    ...{ redirect_uris: ['https://a.example/cb'], scopes: ['tasks:read'] as const },
  })
  return id
}
