import { invalid, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { membershipOf } from '#resources/members/membership-store.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { changeProject } from '#resources/projects/change.ts'
import { showProject } from '#resources/projects/load.ts'
import { possibleLead } from '#resources/projects/people-store.ts'
import { MOST_ASSIGNEES } from '#resources/tasks/fields.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { updateAs } from '#resources/tasks/operations/update.ts'
import { fault } from '#wire/fault.ts'
import type { HandedOver } from './internal.ts'
import { openTasksOf, projectsLedBy } from './store.ts'

/** So many at a time, that no other write of the workspace waits long. */
const PROJECTS_AT_ONCE = 20
const TASKS_AT_ONCE = 100

interface Wanted {
  /** `nobody`, `leads`, or the id of a member. */
  to: string
  after?: string | undefined
}

/**
 * Gives some of a member's open tasks another assignee, and projects that the member leads another lead,
 * as the actor could do one by one, with their events; what is refused stays. Whoever is to have them and
 * does not see a project gets nothing of it. 422 `not_a_member` on `to`.
 */
export async function handOverSome(
  tx: WriteTx,
  user_id: string,
  { to, after }: Wanted,
): Promise<HandedOver> {
  await refuseStranger(tx, user_id, to)
  const told = { tasks: 0, unassigned: 0, projects: 0, refused: 0 }
  const tried = async (work: () => Promise<keyof typeof told>) => {
    try {
      told[await tx.operation(work)] += 1
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      told.refused += 1
    }
  }
  const tasks = await tx.all(openTasksOf, { user_id, after: after ?? '', limit: TASKS_AT_ONCE })
  for (const { id } of tasks) await tried(() => handTask(tx, id, user_id, to))
  const last = tasks.at(-1)?.id ?? after ?? null
  if (tasks.length === TASKS_AT_ONCE) return { ...told, after: last, done: false }

  // After the tasks: whoever leads a private project no more may see it no more.
  const led = await tx.all(projectsLedBy, { user_id, limit: PROJECTS_AT_ONCE })
  for (const { id } of led) await tried(() => handProject(tx, id, to))
  // Those that are refused would be found again and again.
  const done = led.length < PROJECTS_AT_ONCE || told.projects === 0
  return { ...told, after: last, done }
}

async function refuseStranger(tx: WriteTx, user_id: string, to: string): Promise<void> {
  if (to === 'nobody' || to === 'leads') return
  const membership = to === user_id ? undefined : await tx.one(membershipOf, { user_id: to })
  if (membership?.removed_at === null) return
  throw invalid(fault('to', 'not_a_member', 'must be another active member'))
}

async function handProject(tx: WriteTx, project_id: string, to: string): Promise<'projects'> {
  const isPerson = to.startsWith('usr_')
  const sees = isPerson && (await tx.one(possibleLead, { project_id, user_id: to }))
  await changeProject(tx, project_id, { lead_id: sees ? to : null })
  return 'projects'
}

async function handTask(tx: WriteTx, id: string, user_id: string, to: string) {
  const task = await loadTaskToWrite(tx, id)
  const { project_id } = task.record
  const rest = task.record.assignee_ids.filter((one) => one !== user_id)
  const wanted = to === 'leads' ? fromJson((await showProject(tx, project_id)).json).lead_id : to
  const isNew = wanted !== null && wanted !== 'nobody' && !rest.includes(wanted)
  const seeing = isNew ? await activeMembersSeeing(tx, project_id, [wanted]) : new Set<string>()
  const gained = [...seeing].filter((one) => one !== user_id).slice(0, MOST_ASSIGNEES - rest.length)
  await updateAs(tx, task, { assignee_ids: [...rest, ...gained] })
  return gained.length > 0 || rest.includes(wanted ?? '') ? 'tasks' : 'unassigned'
}
