import { invalid, notFound } from '#core/refusal.ts'
import { ensureAccount, isEmail } from '#identity/account.ts'
import { deleteWorkspace, restoreWorkspace } from '#identity/deletion.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { createKey } from '#identity/new-key.ts'
import { createWorkspace, loadWorkspace, setPlan } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { fault } from '#wire/fault.ts'
import { Optional } from '#wire/schema.ts'
import { PRESETS } from '#wire/scopes.ts'
import { command } from './command.ts'
import { systemIn } from './installation.ts'
import {
  Address,
  IdOf,
  Name,
  Password,
  PlanName,
  passwordOf,
  refuseNoZone,
  Zone,
} from './options.ts'

const create = command({
  name: 'workspace create',
  summary: 'Make an empty workspace with its owner and a key of all scopes',
  options: {
    name: Name,
    'owner-email': Address,
    'owner-name': Name,
    'owner-password': Optional(Password),
    plan: Optional(PlanName),
    timezone: Optional(Zone),
  },
  async run({ config, storage }, given) {
    const { name, 'owner-email': email, plan = config.defaultPlan, timezone = 'UTC' } = given
    if (!isEmail(email)) {
      throw invalid(fault('owner-email', 'invalid_format', 'must be an e-mail address'))
    }
    refuseNoZone(timezone, 'timezone')
    const password = await passwordOf(given['owner-password'], 'owner-password')
    const opened = await storage()
    const workspace_id = newId('wsp', opened.clock.now())
    const made = await opened.write(systemIn(workspace_id), async (tx) => {
      await createWorkspace(tx, { name, plan, timezone })
      const person = { email, name: given['owner-name'], timezone }
      const { user_id, ...account } = await ensureAccount(tx, person, password)
      const { id } = await join(tx, { user_id, name: account.name, role: 'owner' })
      const wanted = { user_id: id, name: 'cli', scopes: PRESETS.full, expires_at: null }
      const key = await createKey(tx, wanted)
      await advanceGeneration(tx)
      return { user_id, owner_password: account.password, key }
    })
    return {
      workspace_id,
      name,
      plan,
      user_id: made.user_id,
      owner_email: email.toLowerCase(),
      owner_password: made.owner_password,
      api_key: made.key.api_key,
      api_key_id: made.key.id,
      base_url: config.baseUrl,
    }
  },
})

const changePlan = command({
  name: 'workspace set-plan',
  summary: 'Put a workspace on a plan',
  options: { workspace: IdOf('workspace'), plan: PlanName },
  async run({ config, binding }, { workspace: id, plan }) {
    const workspace = await binding(id, async (tx) => {
      const before = await loadWorkspace(tx)
      if (!before) throw notFound()
      return setPlan(tx, before, plan)
    })
    const { name, timezone, created_at, updated_at } = workspace
    const requests_per_minute = config.limits[workspace.plan]
    return { id, name, plan: workspace.plan, timezone, requests_per_minute, created_at, updated_at }
  },
})

const remove = command({
  name: 'workspace delete',
  summary: 'Delete a workspace; it can be restored for as long as deleted tasks can',
  options: { workspace: IdOf('workspace'), name: Name },
  async run({ binding }, { workspace: id, name }) {
    return binding(id, async (tx) => {
      const found = await loadWorkspace(tx)
      if (found?.name !== name) {
        throw invalid(fault('name', 'invalid_value', 'must be the name of the workspace'))
      }
      return deleteWorkspace(tx)
    })
  },
})

const restore = command({
  name: 'workspace restore',
  summary: 'Restore a workspace that was deleted, as it was',
  options: { workspace: IdOf('workspace') },
  async run({ binding }, { workspace: id }) {
    await binding(id, restoreWorkspace)
    return { id, restored: true }
  },
})

export const workspaceCommands = [create, changePlan, remove, restore]
