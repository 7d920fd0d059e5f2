import { viewerId } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import type { Operation, RecordReply } from '#core/route.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { selectMembers } from '#resources/members/store.ts'
import type { PeopleListEntry } from './authorization.ts'
import { changeProject, clearLeadWithoutAccess } from './change-project.ts'
import type { Project } from './contract.ts'
import { addProject } from './create-project.ts'
import type * as internal from './internal.ts'
import { assertLeadHasAccess } from './people.ts'
import { addToPeopleList, removeFromPeopleList } from './people-store.ts'
import { buildStatuses } from './statuses.ts'

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
