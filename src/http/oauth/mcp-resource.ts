import type { Scope } from '#wire/scopes.ts'

/** Where programs reach Docket by the Model Context Protocol (docs/spec/api.md#mcp). */
export const MCP_PATH = '/mcp'

/** The metadata of the API as a protected resource, and of the resource behind `/mcp` (RFC 9728 §3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'
export const MCP_METADATA_PATH = METADATA_PATH + MCP_PATH

/**
 * What applications ask people for by default: clients request all scopes that the metadata names, and no
 * tool needs more.
 */
export const MCP_SCOPES: readonly Scope[] = [
  'projects:read',
  'tasks:read',
  'tasks:write',
  'comments:read',
  'comments:write',
  'time_entries:read',
  'time_entries:write',
  'tags:read',
  'members:read',
]
