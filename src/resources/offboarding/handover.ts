import { bumpAuthVersion } from '#auth/auth-version.ts'
import { anonymizeAccount } from '#auth/users/accounts.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, conflict, validationFailed } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { type QueryBuilder, query, type Scoped } from '#db/core/statement.ts'
import {
  beginErasure,
  claimErasure,
  endErasure,
  erasureMarkName,
  nextBegunErasure,
  workspacesEverJoined,
} from '#db/retention/person-erasure.ts'
import { openAssignedTasks } from '#db/tasks/timers.ts'
import { fromJson } from '#lib/json.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { loadMembershipToEnd, removeMember } from '#resources/members/membership.ts'
import { membershipByUser, otherOwner } from '#resources/members/membership-store.ts'
import { loadProjectRecord } from '#resources/projects/load.ts'
import { eligibleLead } from '#resources/projects/people.ts'
import {
  changeProject,
  clearLeadWithoutAccess,
  clearProjectLead,
} from '#resources/projects/write-operations.ts'
import { MAX_ASSIGNEES } from '#resources/tasks/fields.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { fieldError } from '#wire/field-error.ts'
import type { HandoverResult } from './internal.ts'

type MemberParams = Scoped<{ user_id: string }>

/** The open tasks of a member, without those of archived projects. */
const openTasks = (db: QueryBuilder, $: MemberParams) =>
  openAssignedTasks(db, $.user_id).where('projects.archived_at', 'is', null)

const openTasksOfMember = query((db, $: MemberParams & { after: string; limit: number }) =>
  openTasks(db, $)
    .select('tasks.id')
    .where('task_assignees.task_id', '>', $.after)
    .orderBy('task_assignees.task_id')
    .limit($.limit),
)

const projectsLedByMember = query((db, $: MemberParams & { limit: number }) =>
  db
    .selectFrom('projects')
    .select('id')
    .where('lead_id', '=', $.user_id)
    .orderBy('id')
    .limit($.limit),
)

/** How many tasks there are to hand over, counted in one pass. */
export const memberTaskCounts = query((db, $: MemberParams) =>
  openTasks(db, $).select((task) => [
    task.fn.countAll<number>().as('open_tasks'),
    task.fn.count<number>('tasks.recurrence').as('recurring_tasks'),
  ]),
)

export const countProjectsLed = query((db, $: MemberParams) =>
  db
    .selectFrom('projects')
    .select((project) => project.fn.countAll<number>().as('projects_led'))
    .where('lead_id', '=', $.user_id),
)

/** More projects than anybody leads. */
const MAX_PROJECTS_LED = 10_000

const loadLedProjects = (tx: WriteTx, user_id: string) =>
  tx.all(projectsLedByMember, { user_id, limit: MAX_PROJECTS_LED })

/** Takes from a person the lead of all projects, with the event of each project. */
async function clearLeads(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id } of await loadLedProjects(tx, user_id)) await clearProjectLead(tx, id)
}

/** The same for the projects that the person does not see any more, after a change of role. */
export async function clearLeadsWithoutAccess(tx: WriteTx, user_id: string): Promise<void> {
  for (const { id: project_id } of await loadLedProjects(tx, user_id)) {
    await clearLeadWithoutAccess(tx, { project_id, user_id })
  }
}

/** Batches are small, so that no other write of the workspace waits long. */
const PROJECT_BATCH_SIZE = 20
const TASK_BATCH_SIZE = 100

interface HandoverRequest {
  /** `nobody`, `leads`, or the id of a member. */
  to: string
  after?: string | undefined
}

/**
 * Reassigns a batch of a member's open tasks, then a batch of the projects that the member leads,
 * each with its events, as if the actor changed them one by one. What is rejected stays as it is. A
 * receiver who does not see a project gets nothing of it. 422 `not_a_member` on `to`.
 */
export async function handOverBatch(
  tx: WriteTx,
  user_id: string,
  { to, after }: HandoverRequest,
): Promise<HandoverResult> {
  await assertReceiverIsMember(tx, user_id, to)
  const counts = { tasks: 0, unassigned: 0, projects: 0, refused: 0 }
  const attempt = async (work: () => Promise<keyof typeof counts>) => {
    try {
      counts[await tx.runOperation(work)] += 1
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      counts.refused += 1
    }
  }
  const tasks = await tx.all(openTasksOfMember, {
    user_id,
    after: after ?? '',
    limit: TASK_BATCH_SIZE,
  })
  for (const { id } of tasks) await attempt(() => handOverTask(tx, id, user_id, to))
  const last = tasks.at(-1)?.id ?? after ?? null
  if (tasks.length === TASK_BATCH_SIZE) return { ...counts, after: last, done: false }

  // After the tasks: a lead who loses a private project may lose access to it.
  const projects = await tx.all(projectsLedByMember, { user_id, limit: PROJECT_BATCH_SIZE })
  for (const { id } of projects) await attempt(() => handOverProject(tx, id, to))
  // Rejected projects would be returned by every further batch.
  const done = projects.length < PROJECT_BATCH_SIZE || counts.projects === 0
  return { ...counts, after: last, done }
}

async function assertReceiverIsMember(tx: WriteTx, user_id: string, to: string): Promise<void> {
  if (to === 'nobody' || to === 'leads') return
  const membership = to === user_id ? undefined : await tx.one(membershipByUser, { user_id: to })
  if (membership?.removed_at === null) return
  throw validationFailed(fieldError('to', 'not_a_member', 'must be another active member'))
}

async function handOverProject(tx: WriteTx, project_id: string, to: string): Promise<'projects'> {
  const isPerson = to.startsWith('usr_')
  const hasAccess = isPerson && (await tx.one(eligibleLead, { project_id, user_id: to }))
  await changeProject(tx, project_id, { lead_id: hasAccess ? to : null })
  return 'projects'
}

async function handOverTask(tx: WriteTx, id: string, user_id: string, to: string) {
  const task = await loadTaskToWrite(tx, id)
  const { project_id } = task.record
  const remaining = task.record.assignee_ids.filter((one) => one !== user_id)
  const receiver =
    to === 'leads' ? fromJson((await loadProjectRecord(tx, project_id)).json).lead_id : to
  const isNewAssignee = receiver !== null && receiver !== 'nobody' && !remaining.includes(receiver)
  const withAccess = isNewAssignee
    ? await findMembersWithAccess(tx, project_id, [receiver])
    : new Set<string>()
  const added = [...withAccess]
    .filter((one) => one !== user_id)
    .slice(0, MAX_ASSIGNEES - remaining.length)
  await updateLoadedTask(tx, task, { assignee_ids: [...remaining, ...added] })
  return added.length > 0 || remaining.includes(receiver ?? '') ? 'tasks' : 'unassigned'
}

/**
 * Ends a membership as `removeMember` does, and before it the person's lead of projects, with the
 * event of each project.
 */
export async function endMembership(
  tx: WriteTx,
  user_id: string,
  options: { allowLastOwner?: boolean } = {},
) {
  if (!options.allowLastOwner) await loadMembershipToEnd(tx, user_id)
  await clearLeads(tx, user_id)
  return removeMember(tx, user_id, options)
}

type ErasureStorage = Pick<Storage, 'read' | 'write'>

interface ErasureOptions {
  /** Gives the actor for each workspace. */
  actorIn(workspace_id: string): Actor
  /** Runs in the transaction that begins the erasure, and may refuse it. */
  confirm?(tx: WriteTx): Promise<void>
}

/**
 * Erases a user: ends each membership in its workspace, with its event, and replaces the account by
 * a tombstone. 409 `last_owner` before any change, if a workspace would have no owner. If the process
 * dies, a background job continues from the mark that is saved first.
 */
export async function erasePerson(
  storage: ErasureStorage,
  user_id: string,
  { actorIn, confirm }: ErasureOptions,
): Promise<void> {
  const memberships = await loadActiveMemberships(storage, user_id)
  for (const { id, role, deleted_at } of memberships) {
    if (role !== 'owner' || deleted_at !== null) continue
    const other = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: id }, (tx) =>
      tx.one(otherOwner, { user_id }),
    )
    if (!other) throw lastOwner()
  }
  await storage.write(actorIn(''), async (tx) => {
    await confirm?.(tx)
    await tx.run(beginErasure, { name: erasureMarkName(user_id) })
  })
  await finishErasure(storage, user_id, actorIn)
}

/**
 * Ends the memberships that are left and the account, unless another process has done so meanwhile.
 * If a workspace would have no owner, because its other one has left since, the erasure is given up
 * with 409 `last_owner`: the user can still sign in there, and repeat it.
 */
async function finishErasure(
  storage: ErasureStorage,
  user_id: string,
  actorIn: (workspace_id: string) => Actor,
): Promise<void> {
  const name = erasureMarkName(user_id)
  try {
    for (const { id, deleted_at } of await loadActiveMemberships(storage, user_id)) {
      await storage.write(actorIn(id), async (tx) => {
        const membership = await tx.one(membershipByUser, { user_id })
        if (membership?.removed_at !== null) return
        await endMembership(tx, user_id, { allowLastOwner: deleted_at !== null })
        await bumpAuthVersion(tx)
      })
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'last_owner')
      await storage.write(actorIn(''), (tx) => tx.run(endErasure, { name }))
    throw error
  }
  await storage.write(actorIn(''), async (tx) => {
    // Both would read the name of the account, and the second one that of the tombstone.
    if ((await tx.run(claimErasure, { name })) === 0) return
    await anonymizeAccount(tx, user_id)
  })
}

/** Those of an owner first, because they alone can still be refused. */
async function loadActiveMemberships(storage: ErasureStorage, user_id: string) {
  const memberships = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(workspacesEverJoined, { user_id }),
  )
  return memberships
    .filter(({ removed_at }) => removed_at === null)
    .toSorted((one, other) => Number(other.role === 'owner') - Number(one.role === 'owner'))
}

const lastOwner = () =>
  conflict(
    'last_owner',
    'A workspace would have no owner. Make another member an owner first, or delete the workspace.',
  )

/**
 * The periodic job that finishes an erasure whose process has died before the account was a tombstone.
 * It may meet one that is still running: both do each step only if the other has not.
 */
export const continueErasures = (storage: Storage) => ({
  name: 'begun erasures',
  intervalMs: 30_000,
  async run(): Promise<boolean> {
    const begun = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(nextBegunErasure, {}))
    if (!begun) return false
    const actor = { ...ANONYMOUS_ACTOR, role: 'owner' } as const
    await finishErasure(storage, begun.id, (workspace_id) => ({ ...actor, workspace_id }))
    return true
  },
})
