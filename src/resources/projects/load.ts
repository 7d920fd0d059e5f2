import { may } from '#core/actor.ts'
import { conflictWith, insufficientRole, notFound } from '#core/api-error.ts'
import type { RecordReply } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { fromJson } from '#lib/json.ts'
import { andThen } from '#lib/maybe-promise.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import type { Project } from './contract.ts'
import { projectColumnsById, projectColumnsByPrefix, projectRecordById } from './store.ts'

/** The project, if the actor sees it. Loading is the authorization; there is no other check. */
export const loadProject = (tx: ReadTx, id: string) =>
  andThen(tx.oneNow(projectColumnsById, { id }), orNotFound)

const PREFIX = /^[A-Z][A-Z0-9]{1,9}$/i

/** The prefix that a text is in any case, or `''`. Raised alone, ß would become SS. */
export const toPrefix = (text: string): string => (PREFIX.test(text) ? text.toUpperCase() : '')

/** A project by its id, or by its present or a former prefix in any case. */
export function loadProjectByIdOrPrefix(tx: ReadTx, name: string) {
  const prefix = toPrefix(name)
  return prefix === ''
    ? loadProject(tx, name)
    : andThen(tx.oneNow(projectColumnsByPrefix, { prefix }), orNotFound)
}

function orNotFound<P>(project: P | undefined): P {
  if (!project) throw notFound()
  return project
}

/** The record of a project, if the actor sees it. */
export async function loadProjectRecord(tx: ReadTx, id: string) {
  const project = await tx.one(projectRecordById, { id })
  if (!project) throw notFound()
  return project
}

/** Every operation that writes in a project calls this after all 422 checks, before the change. */
export function assertNotArchived(record: {
  project_id: string
  archived_at: string | null
}): void {
  if (record.archived_at === null) return
  const message = 'The project is archived. Unarchive it to make changes.'
  throw conflictWith('project_archived', message, record.project_id)
}

interface ProjectUrl {
  params: { id: string }
}

interface ProjectPersonUrl {
  params: { id: string; user_id: string }
}

/** Everybody but guests can create projects. */
export async function assertCanCreateProject({ actor }: ReadTx): Promise<undefined> {
  if (!may(actor, 'shape_projects')) throw insufficientRole('Guests cannot create projects.')
  return undefined
}

/** The project, for those who may change it: its lead, owners and admins (docs/spec/api.md#writing-projects). */
export async function loadProjectToChange(
  tx: ReadTx,
  { params }: ProjectUrl,
): Promise<RecordReply<Project>> {
  const project = await loadProjectRecord(tx, params.id)
  assertCanManage(tx, project)
  return project
}

/** A user who can be in the people list of a project. */
export interface PeopleListEntry {
  project_id: string
  user_id: string
  isActive: boolean
}

/** A present or former member, for those who may change the people list of the project. */
export async function loadPeopleListEntry(
  tx: ReadTx,
  { params }: ProjectPersonUrl,
): Promise<PeopleListEntry> {
  const project = await loadProjectRecord(tx, params.id)
  const membership = await tx.one(membershipByUser, { user_id: params.user_id })
  if (!membership) throw notFound()
  assertCanManage(tx, project)
  const isActive = membership.removed_at === null
  return { project_id: project.id, user_id: params.user_id, isActive }
}

function assertCanManage({ actor }: ReadTx, { json }: RecordReply<Project>): void {
  if (may(actor, 'change_work_of_others') || fromJson(json).lead_id === actor.user_id) return
  throw insufficientRole('Only the project lead, owners and admins can change a project.')
}
