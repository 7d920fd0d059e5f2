import { invalid, notFound } from '#core/refusal.ts'
import { createApplication, workspaceOfApplication } from '#identity/applications.ts'
import { fromJson } from '#lib/json.ts'
import { Application } from '#resources/applications/internal.ts'
import { dropApplication } from '#resources/applications/operations.ts'
import { applicationsOf } from '#resources/applications/store.ts'
import { fault } from '#wire/fault.ts'
import { type ApplicationType, faultOfRedirectUri } from '#wire/redirect-uri.ts'
import { Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import { ownerOf } from './installation.ts'
import { IdOf, Name, Scopes, scopesIn } from './options.ts'

const { type, distribution, redirect_uris } = Application.properties

const create = command({
  name: 'app create',
  summary: 'Register an application; its secret is shown this once',
  options: {
    workspace: IdOf('workspace'),
    name: Name,
    type,
    'redirect-uri': redirect_uris,
    scopes: Scopes,
    distribution: Optional(distribution),
  },
  async run({ binding }, { workspace, name, type, distribution = 'private', ...given }) {
    const { 'redirect-uri': redirect_uris } = given
    refuseRedirects(redirect_uris, type)
    const scopes = scopesIn(given.scopes)
    const kind = { type, distribution, description: null, homepage_url: null }
    const { client_secret = null, ...application } = await binding(workspace, async (tx) => {
      const created_by_id = await ownerOf(tx)
      return createApplication(tx, { name, ...kind, redirect_uris, scopes, created_by_id })
    })
    return { ...application, client_id: application.id, client_secret }
  },
})

const list = command({
  name: 'app list',
  summary: 'List the applications of a workspace',
  options: { workspace: IdOf('workspace') },
  async run({ looking }, { workspace }) {
    const found = await looking(workspace, (tx) => tx.all(applicationsOf, {}))
    return { data: found.map(({ json }) => fromJson(json)) }
  },
})

const remove = command({
  name: 'app delete',
  summary: 'Delete an application, and end all that persons have allowed it',
  options: { app: IdOf('application') },
  async run({ storage, unowned, binding }, { app: id }) {
    const store = await storage()
    const found = await store.read(unowned, (tx) => tx.one(workspaceOfApplication, { id }))
    // One that is of no workspace came with Docket, or registered itself.
    if (!found?.workspace_id) throw notFound()
    await binding(found.workspace_id, (tx) => dropApplication(tx, id))
    return { id, deleted: true }
  },
})

export const appCommands = [create, list, remove]

function refuseRedirects(uris: readonly string[], type: ApplicationType): void {
  const faults = uris.flatMap((uri, at) => {
    const wrong = faultOfRedirectUri(uri, type)
    return wrong === undefined ? [] : [fault(`redirect-uri[${at}]`, 'invalid_format', wrong)]
  })
  if (faults.length > 0) throw invalid(...faults)
}
