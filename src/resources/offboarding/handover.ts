import { ApiError, validationFailed } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { fromJson } from '#lib/json.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import { findMembersWithAccess } from '#resources/members/project-access.ts'
import { changeProject } from '#resources/projects/change-project.ts'
import { loadProjectRecord } from '#resources/projects/load.ts'
import { eligibleLead } from '#resources/projects/people-store.ts'
import { MAX_ASSIGNEES } from '#resources/tasks/fields.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { fieldError } from '#wire/field-error.ts'
import type { HandoverResult } from './internal.ts'
import { openTasksOfMember, projectsLedByMember } from './store.ts'

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
