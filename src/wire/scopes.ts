/**
 * The rights of a credential (docs/spec/api.md#scopes). Deleting has its own scopes, so that scripts can go
 * without.
 */
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

/** The types of record in the feed of changes, with the scope that shows each. */
export const SCOPE_BY_RECORD_TYPE = {
  project: 'projects:read',
  task: 'tasks:read',
  comment: 'comments:read',
  time_entry: 'time_entries:read',
  tag: 'tags:read',
  attachment: 'attachments:read',
  member: 'members:read',
} as const satisfies Record<string, Scope>

export type RecordType = keyof typeof SCOPE_BY_RECORD_TYPE
export const RECORD_TYPES = Object.keys(SCOPE_BY_RECORD_TYPE) as RecordType[]

/** The description of each scope on the consent screen. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  'projects:read': 'See projects',
  'tasks:read': 'See tasks',
  'tasks:write': 'Create and change tasks, complete and restore them',
  'tasks:delete': 'Delete tasks',
  'comments:read': 'See comments',
  'comments:write': 'Comment in your name, and edit your comments',
  'comments:delete': 'Delete comments',
  'time_entries:read': 'See time entries',
  'time_entries:write': 'Log time, and change time entries',
  'time_entries:delete': 'Delete time entries',
  'tags:read': 'See tags',
  'tags:write': 'Create and change tags',
  'tags:delete': 'Delete tags',
  'attachments:read': 'See and download attachments',
  'attachments:write': 'Attach files to tasks',
  'attachments:delete': 'Delete attachments',
  'members:read': 'See who is in the workspace',
  'webhooks:read': 'See webhooks and what they delivered',
  'webhooks:write': 'Create and change webhooks, which send what happens to other servers',
  'webhooks:delete': 'Delete webhooks',
  'events:read': 'See the log of everything that happens in the workspace',
}

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

/** Named sets of scopes for new API keys (docs/spec/api.md#api-keys). */
export const SCOPE_PRESETS: Record<'full' | 'read_only', readonly Scope[]> = {
  full: SCOPES,
  read_only: SCOPES.filter((scope) => scope.endsWith(':read')),
}
