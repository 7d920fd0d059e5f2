/** What a credential may do (contract 4.2). Deleting is a right of its own, so that a script can be denied it. */
export const SCOPES = [
  'projects:read',
  'tasks:read',
  'tasks:write',
  'tasks:delete',
  'comments:read',
  'comments:write',
  'comments:delete',
  'time_entries:read',
  'time_entries:write',
  'time_entries:delete',
  'tags:read',
  'tags:write',
  'tags:delete',
  'attachments:read',
  'attachments:write',
  'attachments:delete',
  'members:read',
  'webhooks:read',
  'webhooks:write',
  'webhooks:delete',
  'events:read',
] as const

export type Scope = (typeof SCOPES)[number]

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

/** Named sets of scopes that a key can be created with (contract 4.1). */
export const PRESETS: Record<'full' | 'read_only', readonly Scope[]> = {
  full: SCOPES,
  read_only: SCOPES.filter((scope) => scope.endsWith(':read')),
}
