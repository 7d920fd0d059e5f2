import { changesBetween } from '#core/changes.ts'
import { later } from '#core/later.ts'
import { refuseAllButManagers } from '#core/managers.ts'
import { notFound, refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import * as identity from '#identity/applications.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { fromJson } from '#lib/json.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import {
  type createApplication,
  type deleteApplication,
  faultsOfRedirects,
  type getApplication,
  type listApplications,
  type listAuthorizations,
  type rotateApplicationSecret,
  type updateApplication,
} from './internal.ts'
import {
  applicationInWorkspace,
  applicationsIn,
  authorizationsOf,
  type Configuration,
  changeApplication,
  grantsOfApplication,
  removeApplication,
  removeGrantsElsewhere,
} from './store.ts'

type Subject = Awaited<ReturnType<typeof loadApplication>>

/** An application of the workspace, for owners and admins; others learn not even whether it is there. */
export async function loadApplication(tx: ReadTx, id: string) {
  refuseAllButManagers(tx)
  const application = await tx.one(applicationInWorkspace, { id })
  if (!application) throw notFound()
  return application
}

export const list: Operation<typeof listApplications> = async (tx, _, { page }) =>
  page.cut(await tx.all(applicationsIn(orderOf(page, null)), windowOf(page)))

export const create: Operation<typeof createApplication> = (tx, _, { body }) => {
  const { distribution = 'private', description = null, homepage_url = null } = body
  const created_by_id = tx.actor.user_id ?? ''
  return identity.createApplication(tx, {
    ...{ ...body, distribution, description, homepage_url, created_by_id },
  })
}

export const get: Operation<typeof getApplication, Subject> = async (_, { json }) => json

export const update: Operation<typeof updateApplication, Subject> = async (tx, app, { body }) => {
  const { redirect_uris, scopes } = body
  refuseFaults(faultsOfRedirects(redirect_uris ?? [], app.type))
  const { id, type: _, updated_at, json, ...present } = app
  const { name, description, homepage_url, distribution } = { ...present, ...body }
  const wanted: Configuration = {
    ...{ name, description, homepage_url, distribution },
    redirect_uris: redirect_uris ? JSON.stringify(redirect_uris) : present.redirect_uris,
    scopes: scopes ? JSON.stringify(scopes.toSorted()) : present.scopes,
  }
  const changed = Object.keys(changesBetween(present, wanted))
  if (changed.length === 0) return json
  await tx.run(changeApplication, { id, ...wanted, updated_at: later(tx, updated_at) })
  if (distribution === 'private') await tx.run(removeGrantsElsewhere, { id })
  await noteApplication(tx, id, 'update')
  const kept = JSON.parse(wanted.scopes) as string[]
  tx.audit('application.updated', id, { changed, distribution, scopes: kept })
  await advanceGeneration(tx)
  return (await loadApplication(tx, id)).json
}

export const remove: Operation<typeof deleteApplication, Subject> = async (tx, { id }) => {
  await dropApplication(tx, id)
  await advanceGeneration(tx)
}

/**
 * Deletes an application that is there, and ends all its grants. Tokens are remembered by every
 * process: the caller advances the identity generation.
 */
export async function dropApplication(tx: WriteTx, id: string): Promise<void> {
  await noteApplication(tx, id, 'delete')
  await tx.run(removeApplication, { id })
  tx.audit('application.deleted', id, {})
}

export const rotate: Operation<typeof rotateApplicationSecret, Subject> = async (tx, app) => {
  const { id } = app
  const client_secret = await identity.rotateSecret(tx, app, later(tx, app.updated_at))
  tx.note({ noun: 'application', id, op: 'update', only_for: '' })
  return { ...fromJson((await loadApplication(tx, id)).json), client_secret }
}

export const authorizations: Operation<typeof listAuthorizations, Subject> = async (
  tx,
  { id },
  { page },
) => {
  const of = { ...windowOf(page), id, now: tx.now }
  return page.cut(await tx.all(authorizationsOf(orderOf(page, null)), of))
}

/** Of applications owners and admins are told; whoever allows one something, of the grant that names it. */
async function noteApplication(tx: WriteTx, id: string, op: 'update' | 'delete'): Promise<void> {
  tx.note({ noun: 'application', id, op, only_for: '' })
  for (const grant of await tx.all(grantsOfApplication, { id })) {
    tx.note({ noun: 'grant', id: grant.id, op, only_for: grant.user_id })
  }
}
