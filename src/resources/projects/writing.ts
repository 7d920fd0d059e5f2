import { notFound } from '#core/refusal.ts'
import type { Found, Operation } from '#core/route.ts'
import { membersWhere } from '#resources/members/store.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { changeProject } from './change.ts'
import type { Project } from './contract.ts'
import { createProject } from './create.ts'
import type * as internal from './internal.ts'
import type { Listed } from './leading.ts'
import { showProject } from './load.ts'
import { refuseBlindLead } from './people.ts'
import { putInList, takeOutOfList } from './people-store.ts'
import { statusesOf } from './statuses.ts'

export const create: Operation<typeof internal.createProject> = async (tx, _, { body }) => {
  const { lead_id = null, statuses, ...wanted } = body
  if (lead_id !== null) await refuseBlindLead(tx, { project_id: '', lead_id }, 'lead_id')
  const id = await createProject(tx, {
    ...wanted,
    ...(statuses && { statuses: statusesOf(statuses) }),
    lead_id,
    created_by_id: tx.actor.user_id ?? '',
  })
  return showProject(tx, id)
}

export const update: Operation<typeof internal.updateProject, Found<Project>> = (
  tx,
  { id },
  { body },
) => changeProject(tx, id, body)

export const archive: Operation<typeof internal.archiveProject, Found<Project>> = (tx, { id }) =>
  changeProject(tx, id, { archived: true })

export const unarchive: Operation<typeof internal.unarchiveProject, Found<Project>> = (
  tx,
  { id },
) => changeProject(tx, id, { archived: false })

export const listPeople: Operation<typeof internal.listPeople, { id: string }> = async (
  tx,
  { id: project_id },
  { page },
) => {
  const column = page.sort === 'name' ? 'memberships.name_key' : 'memberships.joined_at'
  const has = { role: false, q: false, project: true }
  const shape = { order: orderOf(page, column), status: 'active', has } as const
  const none = { role: [], words: [], email: '' }
  return page.cut(await tx.all(membersWhere(shape), { ...windowOf(page), ...none, project_id }))
}

export const putPerson: Operation<typeof internal.putPerson, Listed> = async (
  tx,
  { isActive, ...person },
) => {
  if (!isActive) throw notFound()
  await putInList(tx, person)
}

export const removePerson: Operation<typeof internal.removePerson, Listed> = async (
  tx,
  { project_id, user_id },
) => {
  await takeOutOfList(tx, { project_id, user_id })
}
