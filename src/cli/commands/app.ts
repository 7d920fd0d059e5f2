import { createOAuthApplication, workspaceOfApplication } from '#auth/oauth/applications.ts'
import { assertNoFieldErrors, notFound } from '#core/api-error.ts'
import { fromJson } from '#lib/json.ts'
import { Application, validateApplicationName } from '#resources/applications/internal.ts'
import { removeApplicationAndGrants } from '#resources/applications/operations.ts'
import { applicationsOfWorkspace } from '#resources/applications/store.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { type OAuthClientType, validateRedirectUri } from '#wire/redirect-uri.ts'
import { Optional } from '#wire/schema-builders.ts'
import {
  defineCommand,
  defineDestructiveCommand,
  IdOption,
  NameOption,
  parseScopesOption,
  ScopesOption,
  WorkspaceOption,
} from '../arguments.ts'
import { type CliInstallation, requireOwnerId } from '../installation.ts'

const { type, distribution, redirect_uris } = Application.properties

const create = defineCommand({
  name: 'app create',
  summary: 'Register an OAuth application; its secret is shown only once',
  options: {
    workspace: Optional(WorkspaceOption),
    name: NameOption,
    type,
    'redirect-uri': redirect_uris,
    scopes: ScopesOption,
    distribution: Optional(distribution),
  },
  async run({ writeWorkspaceAuth }, { workspace, name, type, distribution = 'private', ...rest }) {
    const { 'redirect-uri': redirect_uris } = rest
    assertNoFieldErrors([...validateApplicationName(name), ...findUriErrors(redirect_uris, type)])
    const scopes = parseScopesOption(rest.scopes)
    const attributes = { type, distribution, description: null, homepage_url: null }
    const { client_secret = null, ...application } = await writeWorkspaceAuth(
      workspace,
      async (tx) => {
        const created_by_id = await requireOwnerId(tx)
        return createOAuthApplication(tx, {
          name,
          ...attributes,
          redirect_uris,
          scopes,
          created_by_id,
        })
      },
    )
    return { ...application, client_id: application.id, client_secret }
  },
})

const list = defineCommand({
  access: 'read',
  name: 'app list',
  summary: 'List the OAuth applications of a workspace',
  options: { workspace: Optional(WorkspaceOption) },
  async run({ readWorkspace }, { workspace }) {
    const applications = await readWorkspace(workspace, (tx) => tx.all(applicationsOfWorkspace, {}))
    return { data: applications.map(({ json }) => fromJson(json)) }
  },
})

const remove = defineDestructiveCommand({
  name: 'app delete',
  summary: 'Delete an OAuth application and revoke all its authorizations',
  options: { app: IdOption('application') },
  async describeConsequence(installation, { app: id }) {
    const workspace_id = await requireWorkspaceOfApplication(installation, id)
    const applications = await installation.readWorkspace(workspace_id, (tx) =>
      tx.all(applicationsOfWorkspace, {}),
    )
    const names = applications.map(({ json }) => fromJson<{ id: string; name: string }>(json))
    const name = names.find((one) => one.id === id)?.name
    return `This deletes the application "${name}" for good, and revokes all authorizations that people have given it.`
  },
  async run(installation, { app: id }) {
    const workspace_id = await requireWorkspaceOfApplication(installation, id)
    await installation.writeWorkspaceAuth(workspace_id, (tx) => removeApplicationAndGrants(tx, id))
    return { id, deleted: true }
  },
})

export const appCommands = [create, list, remove]

async function requireWorkspaceOfApplication(
  { storage, installationActor: actor }: CliInstallation,
  id: string,
): Promise<string> {
  const store = await storage()
  const owner = await store.read(actor, (tx) => tx.one(workspaceOfApplication, { id }))
  // An application without a workspace came with Docket or registered itself.
  if (!owner?.workspace_id) throw notFound()
  return owner.workspace_id
}

function findUriErrors(uris: readonly string[], type: OAuthClientType): FieldError[] {
  return uris.flatMap((uri, at) => {
    const message = validateRedirectUri(uri, type)
    return message === undefined
      ? []
      : [fieldError(`redirect-uri[${at}]`, 'invalid_format', message)]
  })
}
