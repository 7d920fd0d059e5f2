import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { recordUnclaimedDemo } from '#auth/workspaces/first-owner.ts'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { type Actor, ANONYMOUS_ACTOR, type Plan } from '#core/actor.ts'
import { DEMO_EMAIL_DOMAIN } from '#core/mailer.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  assignNotificationsToEmail,
  detachNotificationsFromEmail,
} from '#db/notifications/notification-emails.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { addProject, insertPerson } from '#resources/projects/create-project.ts'
import { loadProject } from '#resources/projects/load.ts'
import { create as createTag } from '#resources/tags/operations.ts'
import {
  DEMO_PEOPLE,
  DEMO_PROJECTS,
  type DemoPerson,
  type DemoProject,
  WORKSPACE_CREATED_ON,
} from './demo-data.ts'
import {
  createDemoCalendar,
  createdRecord,
  type DemoContext,
  operationInput,
  planHistory,
} from './plan-history.ts'

export const demoEmailOf = (who: DemoPerson) => `${who}@${DEMO_EMAIL_DOMAIN}`

interface DemoOptions {
  plan: Plan
  timezone: string
}

const DAY_MS = 86_400_000

/**
 * Creates the demo workspace with twelve weeks of history, by the operations of the API, each at
 * the time at which somebody might have done it. So its events, activity and counters are right.
 * Nobody can sign in to it before `createDemoCredentials`.
 */
export async function createDemoWorkspace(storage: Storage, options: DemoOptions): Promise<void> {
  const { plan, timezone } = options
  const calendar = createDemoCalendar(timezone, storage.clock.now())
  const createdAt = calendar.timeOn(WORKSPACE_CREATED_ON, 9.5)
  const system: Actor = {
    ...ANONYMOUS_ACTOR,
    workspace_id: newId('wsp', createdAt),
    role: 'owner',
    timezone,
    workspace_timezone: timezone,
  }
  const people = await storage.write(
    system,
    (tx) => createWorkspaceWithPeople(tx, options),
    createdAt,
  )
  const actorOf = (who: DemoPerson): Actor => {
    return { ...system, type: 'user', user_id: people[who], plan, ...DEMO_PEOPLE[who] }
  }
  const projects = await storage.write(
    actorOf('maya'),
    async (tx) => ({
      website: await createDemoProject(tx, people, 'website'),
      portal: await createDemoProject(tx, people, 'portal'),
    }),
    createdAt + DAY_MS,
  )
  const context: DemoContext = { calendar, people, projects, tasks: new Map() }
  // Writes that wait together share commits, so a history of a thousand takes few.
  await Promise.all(
    planHistory(context).map(({ at, by, run }) =>
      storage.write(by === 'docket' ? system : actorOf(by), run, at),
    ),
  )
  await storage.write(system, async (tx) => {
    for (const user_id of Object.values(people)) await dropDueEmails(tx, user_id)
  })
}

/** Creates the workspace with its people, none of whom can sign in. */
async function createWorkspaceWithPeople(
  tx: WriteTx,
  { plan, timezone }: DemoOptions,
): Promise<Record<DemoPerson, string>> {
  await createWorkspace(tx, { name: 'Demo', plan, timezone })
  const add = async (who: DemoPerson) => {
    const { name, role } = DEMO_PEOPLE[who]
    const person = { email: demoEmailOf(who), name, timezone }
    const { user_id } = await ensureAccount(tx, person, NO_PASSWORD)
    await createMembership(tx, { user_id, name, role })
    return user_id
  }
  const people: Record<DemoPerson, string> = {
    maya: await add('maya'),
    jonas: await add('jonas'),
    priya: await add('priya'),
    tom: await add('tom'),
    elif: await add('elif'),
  }
  await recordUnclaimedDemo(tx, { workspace_id: tx.actor.workspace_id, user_id: people.maya })
  return people
}

async function createDemoProject(
  tx: WriteTx,
  people: Record<DemoPerson, string>,
  project: DemoProject,
): Promise<DemoContext['projects'][DemoProject]> {
  const { lead, tags, ...attributes } = DEMO_PROJECTS[project]
  const created_by_id = people.maya
  const { id } = await addProject(tx, { ...attributes, lead_id: people[lead], created_by_id })
  if (project === 'website') await tx.run(insertPerson, { project_id: id, user_id: people.elif })
  const loaded = await loadProject(tx, id)
  const tagIds = new Map<string, string>()
  for (const [name, color] of Object.entries(tags)) {
    const tag = await createTag(tx, loaded, operationInput({ id }, { name, color }))
    tagIds.set(name, createdRecord(tag).id)
  }
  return { id, tags: tagIds }
}

/**
 * Marks the emails of the history as sent: the people of the demo have no mailbox, and its owner
 * should not get weeks of emails at once.
 */
async function dropDueEmails(tx: WriteTx, user_id: string): Promise<void> {
  const email_job_id = newId('job', tx.nowMs)
  const until = timestampOf(tx.nowMs + 2 * DAY_MS)
  await tx.run(assignNotificationsToEmail, { user_id, email_job_id, until })
  await tx.run(detachNotificationsFromEmail, { email_job_id })
}
