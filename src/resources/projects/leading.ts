import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { Found } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import { membershipOf } from '#resources/members/membership-store.ts'
import type { Project } from './contract.ts'
import { showProject } from './load.ts'

interface Named {
  params: { id: string }
}

interface NamedPerson {
  params: { id: string; user_id: string }
}

/** Everybody but guests makes projects. */
export async function maker({ actor }: ReadTx): Promise<undefined> {
  if (actor.role === 'guest') throw insufficientRole('Guests cannot make projects.')
  return undefined
}

/** The project, for whoever may change it: its lead, owners and admins (contract 9.2). */
export async function ledProject(tx: ReadTx, { params }: Named): Promise<Found<Project>> {
  const project = await showProject(tx, params.id)
  refuseAllButLeads(tx, project)
  return project
}

/** A person as one may be in the people list of a project. */
export interface Listed {
  project_id: string
  user_id: string
  isActive: boolean
}

/** Somebody who is or was a member, for whoever may change the people list of the project. */
export async function listedPerson(tx: ReadTx, { params }: NamedPerson): Promise<Listed> {
  const project = await showProject(tx, params.id)
  const membership = await tx.one(membershipOf, { user_id: params.user_id })
  if (!membership) throw notFound()
  refuseAllButLeads(tx, project)
  const isActive = membership.removed_at === null
  return { project_id: project.id, user_id: params.user_id, isActive }
}

function refuseAllButLeads({ actor }: ReadTx, { json }: Found<Project>): void {
  if (manages(actor) || fromJson(json).lead_id === actor.user_id) return
  throw insufficientRole('A project is changed by its lead, owners and admins.')
}
