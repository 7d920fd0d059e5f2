import { apiKeysOfWorkspace, workspaceOfApiKey } from '#auth/keys/api-key-store.ts'
import { changeApiKeyRateLimit, createApiKey, revokeApiKey } from '#auth/keys/api-keys.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import { membershipByUser } from '#resources/members/membership-store.ts'
import { fieldError } from '#wire/field-error.ts'
import { Optional, Timestamp } from '#wire/schema-builders.ts'
import type { Scope } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'
import {
  defineCommand,
  defineDestructiveCommand,
  IdOption,
  MEMBER_ALTERNATIVES,
  MEMBER_OPTIONS,
  NameOption,
  parseRateLimitOption,
  parseScopesOption,
  RateLimitOption,
  ScopesOption,
  WorkspaceOption,
} from '../arguments.ts'
import { type CliInstallation, findUserId } from '../installation.ts'

const create = defineCommand({
  name: 'key create',
  summary: 'Create an API key for a member; it is shown only once',
  options: {
    workspace: Optional(WorkspaceOption),
    ...MEMBER_OPTIONS,
    name: Optional(NameOption),
    scopes: ScopesOption,
    'expires-at': Optional(Timestamp({ description: 'Time, such as 2027-01-31T00:00:00Z' })),
    'rate-limit': Optional(RateLimitOption),
  },
  alternatives: MEMBER_ALTERNATIVES,
  async run({ writeWorkspaceAuth }, { workspace, user, email, name = 'cli', ...rest }) {
    const scopes = parseScopesOption(rest.scopes)
    const expires_at = rest['expires-at'] ?? null
    const rate_limit = parseRateLimitOption(rest['rate-limit'] ?? 'none')
    return writeWorkspaceAuth(workspace, async (tx) => {
      const user_id = await findUserId(tx, { user, email })
      const membership = await tx.one(membershipByUser, { user_id })
      if (!membership || membership.removed_at !== null) throw notFound()
      if (expires_at !== null && expires_at <= tx.now) {
        throw validationFailed(fieldError('expires-at', 'invalid_value', 'must be in the future'))
      }
      const key = await createApiKey(tx, { user_id, name, scopes, expires_at, rate_limit })
      await notifyOfSecurityChange(tx, user_id, 'api_key_created')
      return key
    })
  },
})

const list = defineCommand({
  access: 'read',
  name: 'key list',
  summary: 'List the API keys of a workspace',
  options: { workspace: Optional(WorkspaceOption) },
  async run({ readWorkspace }, { workspace }) {
    const keys = await readWorkspace(workspace, (tx) => tx.all(apiKeysOfWorkspace, {}))
    return {
      data: keys.map(({ id, name, user_id, hint, scopes, supervision, ...times }) => ({
        id,
        name,
        user_id,
        hint,
        scopes: JSON.parse(scopes) as Scope[],
        supervision: supervision === null ? null : (JSON.parse(supervision) as Supervision),
        ...times,
      })),
    }
  },
})

const setRateLimit = defineCommand({
  name: 'key set-rate-limit',
  summary: 'Limit the requests per minute of an API key below those of its workspace',
  options: { key: IdOption('key'), 'rate-limit': RateLimitOption },
  async run(installation, { key: id, ...rest }) {
    const rate_limit = parseRateLimitOption(rest['rate-limit'])
    const workspace_id = await requireWorkspaceOfKey(installation, id)
    await installation.writeWorkspaceAuth(workspace_id, (tx) =>
      changeApiKeyRateLimit(tx, id, rate_limit),
    )
    return { id, rate_limit }
  },
})

const revoke = defineDestructiveCommand({
  name: 'key revoke',
  summary: 'Revoke an API key immediately',
  options: { key: IdOption('key') },
  async describeConsequence(installation, { key: id }) {
    const workspace_id = await requireWorkspaceOfKey(installation, id)
    const [workspace, key] = await installation.readWorkspace(workspace_id, async (tx) => [
      await findWorkspace(tx),
      (await tx.all(apiKeysOfWorkspace, {})).find((one) => one.id === id),
    ])
    return `This revokes the API key "${key?.name}" (${key?.hint}) of the workspace "${workspace?.name}": programs that use it are rejected from now on.`
  },
  async run(installation, { key: id }) {
    const workspace_id = await requireWorkspaceOfKey(installation, id)
    await installation.writeWorkspaceAuth(workspace_id, (tx) => revokeApiKey(tx, id))
    return { id, revoked: true }
  },
})

export const keyCommands = [create, list, setRateLimit, revoke]

async function requireWorkspaceOfKey(
  { storage, installationActor: actor }: CliInstallation,
  id: string,
): Promise<string> {
  const key = await (await storage()).read(actor, (tx) => tx.one(workspaceOfApiKey, { id }))
  if (!key) throw notFound()
  return key.workspace_id
}
