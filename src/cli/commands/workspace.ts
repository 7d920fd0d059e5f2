import { bumpAuthVersion } from '#auth/auth-version.ts'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ensureAccount, isEmail } from '#auth/users/accounts.ts'
import {
  createWorkspace,
  DEFAULT_PLAN,
  findWorkspace,
  setPlan,
  softDeleteWorkspace,
  undeleteWorkspace,
} from '#auth/workspaces/workspaces.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import { listedWorkspacesAfter } from '#db/installation/record-lists.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { fieldError } from '#wire/field-error.ts'
import { Optional } from '#wire/schema-builders.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'
import {
  assertTimezone,
  defineCommand,
  EmailOption,
  IdOption,
  NameOption,
  PasswordOption,
  PlanOption,
  preparePasswordOption,
  TimezoneOption,
  WorkspaceOption,
} from '../arguments.ts'
import { systemActor } from '../installation.ts'
import { readPages } from '../output.ts'

const create = defineCommand({
  access: 'create',
  name: 'workspace create',
  summary: 'Create an empty workspace with an owner and an API key with all scopes',
  options: {
    name: NameOption,
    'owner-email': EmailOption,
    'owner-name': NameOption,
    'owner-password': Optional(PasswordOption),
    plan: Optional(PlanOption),
    timezone: Optional(TimezoneOption),
  },
  async run({ config, storage }, options) {
    const { name, 'owner-email': email, plan = DEFAULT_PLAN, timezone = 'UTC' } = options
    if (!isEmail(email)) {
      throw validationFailed(
        fieldError('owner-email', 'invalid_format', 'must be an email address'),
      )
    }
    assertTimezone(timezone, 'timezone')
    const password = await preparePasswordOption(options['owner-password'], 'owner-password')
    const store = await storage()
    const workspace_id = newId('wsp', store.clock.now())
    const created = await store.write(systemActor(workspace_id), async (tx) => {
      await createWorkspace(tx, { name, plan, timezone })
      const person = { email, name: options['owner-name'], timezone }
      const { user_id, ...account } = await ensureAccount(tx, person, password)
      const { id } = await createMembership(tx, { user_id, name: account.name, role: 'owner' })
      const key = await createApiKey(tx, {
        user_id: id,
        name: 'cli',
        scopes: SCOPE_PRESETS.full,
        expires_at: null,
      })
      await bumpAuthVersion(tx)
      return { user_id, owner_password: account.password, key }
    })
    return {
      workspace_id,
      name,
      plan,
      user_id: created.user_id,
      owner_email: email.toLowerCase(),
      owner_password: created.owner_password,
      api_key: created.key.api_key,
      api_key_id: created.key.id,
      base_url: config.baseUrl,
    }
  },
})

const list = defineCommand({
  access: 'read',
  secretUse: 'optional',
  name: 'workspace list',
  summary: 'List all workspaces, deleted ones too',
  options: {},
  async run({ storage, installationActor }, _options, printPages) {
    const store = await storage()
    await printPages(
      readPages((page) =>
        store.read(installationActor, (tx) => tx.all(listedWorkspacesAfter, page)),
      ),
    )
    return undefined
  },
})

const changePlan = defineCommand({
  name: 'workspace set-plan',
  summary: 'Change the plan of a workspace',
  options: { workspace: Optional(WorkspaceOption), plan: PlanOption },
  async run({ config, writeWorkspaceAuth }, { workspace: chosen, plan }) {
    const workspace = await writeWorkspaceAuth(chosen, async (tx) => {
      const before = await findWorkspace(tx)
      if (!before) throw notFound()
      return setPlan(tx, before, plan)
    })
    const { id, name, timezone, created_at, updated_at } = workspace
    const requests_per_minute = config.settings.requestsPerMinute[workspace.plan]
    return { id, name, plan: workspace.plan, timezone, requests_per_minute, created_at, updated_at }
  },
})

const remove = defineCommand({
  name: 'workspace delete',
  summary: 'Delete a workspace; you can restore it within 30 days',
  options: { workspace: IdOption('workspace'), name: NameOption },
  async run({ writeWorkspaceAuth }, { workspace: id, name }) {
    return writeWorkspaceAuth(id, async (tx) => {
      const workspace = await findWorkspace(tx)
      if (workspace?.name !== name) {
        throw validationFailed(
          fieldError('name', 'invalid_value', 'must be the exact name of the workspace'),
        )
      }
      return softDeleteWorkspace(tx)
    })
  },
})

const restore = defineCommand({
  name: 'workspace restore',
  summary: 'Restore a deleted workspace',
  options: { workspace: IdOption('workspace') },
  async run({ writeWorkspaceAuth }, { workspace: id }) {
    await writeWorkspaceAuth(id, undeleteWorkspace)
    return { id, restored: true }
  },
})

export const workspaceCommands = [create, list, changePlan, remove, restore]
