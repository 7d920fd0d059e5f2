import { bumpAuthVersion } from '#auth/auth-version.ts'
import { viewerId } from '#core/actor.ts'
import { conflict, notFound, validationFailed } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation, RecordReply } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { emitTimersStopped, stopTimers } from '#db/tasks/timers.ts'
import { foldCase } from '#lib/fold-case.ts'
import { fromJson } from '#lib/json.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { selectMembers } from '#resources/members/store.ts'
import { fieldError } from '#wire/field-error.ts'
import type { Project } from './contract.ts'
import { addProject, reservePrefix } from './create-project.ts'
import type * as internal from './internal.ts'
import type { StatusInput } from './internal.ts'
import { loadProjectRecord, type PeopleListEntry } from './load.ts'
import {
  addToPeopleList,
  assertLeadHasAccess,
  eligibleLead,
  removeFromPeopleList,
} from './people.ts'
import { buildStatuses, changedStatusKeys } from './statuses.ts'
import { anyProjectById, insertSightTombstone, taskWithStatus, updateProjectRow } from './store.ts'

type ProjectFields = Pick<
  Project,
  | 'name'
  | 'prefix'
  | 'description'
  | 'color'
  | 'icon'
  | 'lead_id'
  | 'visibility'
  | 'start_date'
  | 'target_date'
>

/** The changes of a project; absent and undefined fields stay as they are. */
export type ProjectChanges = { [F in keyof ProjectFields]?: ProjectFields[F] | undefined } & {
  statuses?: readonly StatusInput[] | undefined
  archived?: boolean | undefined
}

/**
 * Changes a project and emits `project.updated`, unless nothing differs. A new prefix is reserved
 * in addition to the former ones, so that earlier short ids keep resolving; 409 `prefix_taken`. A
 * status with tasks can neither be removed nor change its category: 409 `status_in_use`. Deleted
 * tasks get another status when they are restored. Archiving stops the running timers of the
 * project, with their events. 404 if the actor does not see the project. The caller checks who may
 * change it.
 */
export async function changeProject(
  tx: WriteTx,
  id: string,
  changes: ProjectChanges,
): Promise<RecordReply<Project>> {
  return changeLoadedProject(tx, await loadProjectRecord(tx, id), changes)
}

/** Clears the lead of a project, also of one that the actor does not see, as `changeProject` does. */
export async function clearProjectLead(tx: WriteTx, id: string): Promise<void> {
  const project = await tx.one(anyProjectById, { id })
  if (project) await changeLoadedProject(tx, project, { lead_id: null })
}

/** Clears the lead of a project if that is this person, who does not see the project any more. */
export async function clearLeadWithoutAccess(
  tx: WriteTx,
  person: { project_id: string; user_id: string },
): Promise<void> {
  const project = await tx.one(anyProjectById, { id: person.project_id })
  if (!project || fromJson(project.json).lead_id !== person.user_id) return
  if (await tx.one(eligibleLead, person)) return
  await changeLoadedProject(tx, project, { lead_id: null })
}

async function changeLoadedProject(
  tx: WriteTx,
  project: RecordReply<Project>,
  { archived, statuses: statusInputs, ...fields }: ProjectChanges,
): Promise<RecordReply<Project>> {
  const { id } = project
  const before = fromJson(project.json)
  const statuses = statusInputs ? buildStatuses(statusInputs, before.statuses) : before.statuses
  const archived_at = nextArchivedAt(tx, before, archived)
  const next: Project = { ...before, ...withoutUndefined(fields), statuses, archived_at }
  if (Object.keys(diffRecords(before, next)).length === 0) return project

  await assertFieldsValid(tx, before, next)
  await assertStatusesUnused(tx, before, next)
  if (next.prefix !== before.prefix) await reservePrefix(tx, next.prefix, id)
  await tx.run(updateProjectRow, {
    ...next,
    name_key: foldCase(next.name),
    name_words: ` ${extractSearchWords(next.name).join(' ')}`,
    statuses: JSON.stringify(statuses),
    updated_at: nextUpdatedAt(tx, before.updated_at),
  })
  // The list of open tasks leaves out archived projects, so a page that keeps it lacks these tasks.
  if (archived_at === null && before.archived_at !== null)
    await tx.run(insertSightTombstone, { project_id: id, user_id: '', created_at: tx.now })
  const isArchiving = archived_at !== null && before.archived_at === null
  const timers = isArchiving ? await stopTimers(tx, { project_id: id }) : []

  const changed = await tx.one(anyProjectById, { id })
  if (!changed) throw new Error('A project is gone while it is changed')
  const changes = diffRecords(before, fromJson(changed.json))
  // Connected users may gain or lose access, in every process.
  if ('visibility' in changes || 'lead_id' in changes) await bumpAuthVersion(tx)
  auditAccess(tx, before, next)
  tx.emit('project.updated', changed.json, { subject_id: id, project_id: id, changes })
  await emitTimersStopped(tx, timers)
  return changed
}

/** Records changes of who can see and who can change the project. */
function auditAccess(tx: WriteTx, before: Project, next: Project): void {
  const { id, visibility, lead_id } = next
  if (visibility !== before.visibility) {
    tx.audit('project.visibility_changed', id, { from: before.visibility, to: visibility })
  }
  if (lead_id !== before.lead_id) {
    tx.audit('project.lead_changed', id, { from: before.lead_id, to: lead_id })
  }
}

const withoutUndefined = (fields: { [F in keyof ProjectFields]?: ProjectFields[F] | undefined }) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<ProjectFields>

/** Archiving an archived project keeps the time at which it was archived. */
function nextArchivedAt(tx: WriteTx, { archived_at }: Project, archived?: boolean): string | null {
  if (archived === undefined) return archived_at
  return archived ? (archived_at ?? tx.now) : null
}

async function assertFieldsValid(tx: ReadTx, before: Project, next: Project): Promise<void> {
  const { id, start_date, target_date, lead_id } = next
  const moved = start_date !== before.start_date || target_date !== before.target_date
  if (moved && start_date !== null && target_date !== null && start_date > target_date) {
    const isStart = start_date !== before.start_date
    throw validationFailed(
      isStart
        ? fieldError('start_date', 'invalid_range', 'must not be after `target_date`')
        : fieldError('target_date', 'invalid_range', 'must not be before `start_date`'),
    )
  }
  if (lead_id !== null && lead_id !== before.lead_id) {
    await assertLeadHasAccess(tx, { project_id: id, lead_id }, 'lead_id')
  }
}

async function assertStatusesUnused(tx: ReadTx, before: Project, next: Project): Promise<void> {
  const keys = changedStatusKeys(before.statuses, next.statuses)
  if (keys.length === 0) return
  const task = await tx.one(taskWithStatus, { project_id: before.id, keys })
  if (!task) return
  const { name } = before.statuses.find(({ key }) => key === task.status) ?? { name: task.status }
  throw conflict(
    'status_in_use',
    `The status ${name} still has tasks, so it cannot be removed or change its category. Move these tasks first.`,
  )
}

export const create: Operation<typeof internal.createProject> = async (tx, _, { body }) => {
  const { lead_id = null, statuses, ...fields } = body
  if (lead_id !== null) await assertLeadHasAccess(tx, { project_id: '', lead_id }, 'lead_id')
  return addProject(tx, {
    ...fields,
    ...(statuses && { statuses: buildStatuses(statuses) }),
    lead_id,
    created_by_id: viewerId(tx.actor),
  })
}

export const update: Operation<typeof internal.updateProject, RecordReply<Project>> = (
  tx,
  { id },
  { body },
) => changeProject(tx, id, body)

export const archive: Operation<typeof internal.archiveProject, RecordReply<Project>> = (
  tx,
  { id },
) => changeProject(tx, id, { archived: true })

export const unarchive: Operation<typeof internal.unarchiveProject, RecordReply<Project>> = (
  tx,
  { id },
) => changeProject(tx, id, { archived: false })

export const listProjectPeople: Operation<typeof internal.listPeople, { id: string }> = async (
  tx,
  { id: project_id },
  { page },
) => {
  const column = page.sort === 'name' ? 'memberships.name_key' : 'memberships.joined_at'
  const has = { role: false, q: false, project: true }
  const queryShape = { order: toListOrder(page, column), status: 'active', has } as const
  const none = { role: [], words: [], email: '' }
  return page.toPage(
    await tx.all(selectMembers(queryShape), { ...toPageWindow(page), ...none, project_id }),
  )
}

export const putProjectPerson: Operation<typeof internal.putPerson, PeopleListEntry> = async (
  tx,
  { isActive, ...person },
) => {
  if (!isActive) throw notFound()
  await addToPeopleList(tx, person)
}

export const removeProjectPerson: Operation<typeof internal.removePerson, PeopleListEntry> = async (
  tx,
  { project_id, user_id },
) => {
  await removeFromPeopleList(tx, { project_id, user_id })
  await clearLeadWithoutAccess(tx, { project_id, user_id })
}
