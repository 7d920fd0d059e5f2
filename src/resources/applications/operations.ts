import { bumpAuthVersion } from '#auth/auth-version.ts'
import * as identity from '#auth/oauth/applications.ts'
import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { fromJson } from '#lib/json.ts'
import {
  type createApplication,
  type deleteApplication,
  type getApplication,
  type listApplicationGrants,
  type listApplications,
  type rotateApplicationSecret,
  type updateApplication,
  validateRedirectUris,
} from './internal.ts'
import {
  type ApplicationConfiguration,
  applicationOfWorkspaceById,
  changeApplication,
  grantsOfApplication,
  removeApplication,
  removeGrantsInOtherWorkspaces,
  selectActiveGrants,
  selectApplications,
} from './store.ts'

type LoadedApplication = Awaited<ReturnType<typeof loadApplication>>

/** The application, for owners and admins; for everybody else 403, whether or not it exists. */
export async function loadApplication(tx: ReadTx, id: string) {
  assertManager(tx)
  const application = await tx.one(applicationOfWorkspaceById, { id })
  if (!application) throw notFound()
  return application
}

export const list: Operation<typeof listApplications> = async (tx, _, { page }) =>
  page.toPage(await tx.all(selectApplications(toListOrder(page, null)), toPageWindow(page)))

export const create: Operation<typeof createApplication> = (tx, _, { body }) => {
  const { distribution = 'private', description = null, homepage_url = null } = body
  const created_by_id = viewerId(tx.actor)
  return identity.createOAuthApplication(tx, {
    ...body,
    distribution,
    description,
    homepage_url,
    created_by_id,
  })
}

export const get: Operation<typeof getApplication, LoadedApplication> = async (_, { json }) => json

export const update: Operation<typeof updateApplication, LoadedApplication> = async (
  tx,
  app,
  { body },
) => {
  const { redirect_uris, scopes } = body
  assertNoFieldErrors(validateRedirectUris(redirect_uris ?? [], app.type))
  const { id, type: _, updated_at, json, ...present } = app
  const { name, description, homepage_url, distribution } = { ...present, ...body }
  const next: ApplicationConfiguration = {
    name,
    description,
    homepage_url,
    distribution,
    redirect_uris: redirect_uris ? JSON.stringify(redirect_uris) : present.redirect_uris,
    scopes: scopes ? JSON.stringify(scopes.toSorted()) : present.scopes,
  }
  const changed = Object.keys(diffRecords(present, next))
  if (changed.length === 0) return json
  await tx.run(changeApplication, { id, ...next, updated_at: nextUpdatedAt(tx, updated_at) })
  if (distribution === 'private') await tx.run(removeGrantsInOtherWorkspaces, { id })
  await noteApplication(tx, id)
  const nextScopes = JSON.parse(next.scopes) as string[]
  tx.audit('application.updated', id, { changed, distribution, scopes: nextScopes })
  await bumpAuthVersion(tx)
  return (await loadApplication(tx, id)).json
}

export const remove: Operation<typeof deleteApplication, LoadedApplication> = async (
  tx,
  { id },
) => {
  await removeApplicationAndGrants(tx, id)
  await bumpAuthVersion(tx)
}

/**
 * Deletes an existing application with all its grants. Every process caches tokens, so the caller
 * must invalidate the authentication caches.
 */
export async function removeApplicationAndGrants(tx: WriteTx, id: string): Promise<void> {
  await noteApplication(tx, id)
  await tx.run(removeApplication, { id })
  tx.audit('application.deleted', id, {})
}

export const rotate: Operation<typeof rotateApplicationSecret, LoadedApplication> = async (
  tx,
  app,
) => {
  const { id } = app
  const client_secret = await identity.rotateClientSecret(
    tx,
    app,
    nextUpdatedAt(tx, app.updated_at),
  )
  tx.noteChange({ noun: 'application', id, only_for: '' })
  return { ...fromJson((await loadApplication(tx, id)).json), client_secret }
}

export const grantsOfApp: Operation<typeof listApplicationGrants, LoadedApplication> = async (
  tx,
  { id },
  { page },
) => {
  const values = { ...toPageWindow(page), id, now: tx.now }
  return page.toPage(await tx.all(selectActiveGrants(toListOrder(page, null)), values))
}

/**
 * Notifies owners and admins of the application, and each member who granted it access of their
 * grant.
 */
async function noteApplication(tx: WriteTx, id: string): Promise<void> {
  tx.noteChange({ noun: 'application', id, only_for: '' })
  for (const grant of await tx.all(grantsOfApplication, { id })) {
    tx.noteChange({ noun: 'grant', id: grant.id, only_for: grant.user_id })
  }
}
