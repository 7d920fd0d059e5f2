import { invalid, notFound } from '#core/refusal.ts'
import { keysOfWorkspace, workspaceOfKey } from '#identity/keys.ts'
import { createKey, revokeKey } from '#identity/new-key.ts'
import { membershipOf } from '#resources/members/membership-store.ts'
import { fault } from '#wire/fault.ts'
import { Optional, Timestamp } from '#wire/schema.ts'
import type { Scope } from '#wire/scopes.ts'
import { command } from './command.ts'
import { IdOf, Name, Scopes, scopesIn } from './options.ts'

const create = command({
  name: 'key create',
  summary: 'Make an API key for a member; it is shown this once',
  options: {
    workspace: IdOf('workspace'),
    user: IdOf('member'),
    name: Optional(Name),
    scopes: Scopes,
    'expires-at': Optional(Timestamp({ description: 'Time such as 2027-01-31T00:00:00Z' })),
  },
  async run({ binding }, { workspace, user: user_id, name = 'cli', ...given }) {
    const scopes = scopesIn(given.scopes)
    const expires_at = given['expires-at'] ?? null
    return binding(workspace, async (tx) => {
      const membership = await tx.one(membershipOf, { user_id })
      if (!membership || membership.removed_at !== null) throw notFound()
      if (expires_at !== null && expires_at <= tx.now) {
        throw invalid(fault('expires-at', 'invalid_value', 'must be in the future'))
      }
      return createKey(tx, { user_id, name, scopes, expires_at })
    })
  },
})

const list = command({
  name: 'key list',
  summary: 'List the API keys of a workspace',
  options: { workspace: IdOf('workspace') },
  async run({ looking }, { workspace }) {
    const keys = await looking(workspace, (tx) => tx.all(keysOfWorkspace, {}))
    return {
      data: keys.map(({ id, name, user_id, hint, scopes, ...times }) => ({
        ...{ id, name, user_id, hint },
        scopes: JSON.parse(scopes) as Scope[],
        ...times,
      })),
    }
  },
})

const revoke = command({
  name: 'key revoke',
  summary: 'End an API key at once',
  options: { key: IdOf('key') },
  async run({ storage, unowned, binding }, { key: id }) {
    const found = await (await storage()).read(unowned, (tx) => tx.one(workspaceOfKey, { id }))
    if (!found) throw notFound()
    await binding(found.workspace_id, (tx) => revokeKey(tx, id))
    return { id, revoked: true }
  },
})

export const keyCommands = [create, list, revoke]
