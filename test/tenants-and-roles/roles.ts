import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Route } from '#core/route.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { publicRoutes as routes } from '#server/routes.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import type { Role } from '#wire/rights.ts'
import type { Scope } from '#wire/scopes.ts'
import { type ApiReply, callApi, callApiForJson, summarizeReply } from '../support/api/call-api.ts'
import { buildApiCall, endpointName, recordKindOf } from '../support/api/endpoint-requests.ts'
import { createSampleRecords, type SampleRecords } from '../support/api/sample-records.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/** Which records a role may act on: all, only its own, or none. */
type RoleRight = 'all' | 'own' | 'none'

/** The scope and the rights of owner, admin, member and guest for each endpoint (docs/spec/api.md#roles-and-visibility). */
const RIGHTS: Record<string, [Scope | 'any', RoleRight, RoleRight, RoleRight, RoleRight]> = {
  'GET /projects': ['projects:read', 'all', 'all', 'all', 'all'],
  'GET /projects/:id': ['projects:read', 'all', 'all', 'all', 'all'],
  'GET /projects/:id/tasks': ['tasks:read', 'all', 'all', 'all', 'all'],
  'GET /tasks/:id': ['tasks:read', 'all', 'all', 'all', 'all'],
  'GET /tasks': ['tasks:read', 'all', 'all', 'all', 'all'],
  'POST /tasks': ['tasks:write', 'all', 'all', 'all', 'all'],
  'PATCH /tasks/:id': ['tasks:write', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/complete': ['tasks:write', 'all', 'all', 'all', 'all'],
  'DELETE /tasks/:id': ['tasks:delete', 'all', 'all', 'all', 'own'],
  'POST /tasks/:id/restore': ['tasks:write', 'all', 'all', 'all', 'own'],
  'POST /tasks/bulk': ['tasks:write', 'all', 'all', 'all', 'all'],
  'GET /comments': ['comments:read', 'all', 'all', 'all', 'all'],
  'GET /tasks/:id/comments': ['comments:read', 'all', 'all', 'all', 'all'],
  'GET /comments/:id': ['comments:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/comments': ['comments:write', 'all', 'all', 'all', 'all'],
  'PATCH /comments/:id': ['comments:write', 'own', 'own', 'own', 'own'],
  'DELETE /comments/:id': ['comments:delete', 'all', 'all', 'own', 'own'],
  'POST /comments/bulk': ['comments:write', 'all', 'all', 'all', 'all'],
  'GET /time-entries': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'GET /reports/time': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'GET /tasks/:id/time-entries': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'GET /time-entries/:id': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/time-entries': ['time_entries:write', 'all', 'all', 'all', 'all'],
  'PATCH /time-entries/:id': ['time_entries:write', 'all', 'all', 'own', 'own'],
  'DELETE /time-entries/:id': ['time_entries:delete', 'all', 'all', 'own', 'own'],
  'POST /time-entries/bulk': ['time_entries:write', 'all', 'all', 'all', 'all'],
  'GET /projects/:id/tags': ['tags:read', 'all', 'all', 'all', 'all'],
  'GET /tags/:id': ['tags:read', 'all', 'all', 'all', 'all'],
  'POST /projects/:id/tags': ['tags:write', 'all', 'all', 'all', 'none'],
  'PATCH /tags/:id': ['tags:write', 'all', 'all', 'all', 'none'],
  'DELETE /tags/:id': ['tags:delete', 'all', 'all', 'all', 'none'],
  'POST /tags/bulk': ['tags:write', 'all', 'all', 'all', 'none'],
  'GET /tasks/:id/attachments': ['attachments:read', 'all', 'all', 'all', 'all'],
  'GET /attachments/:id': ['attachments:read', 'all', 'all', 'all', 'all'],
  'GET /attachments/:id/content': ['attachments:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/attachments': ['attachments:write', 'all', 'all', 'all', 'all'],
  'DELETE /attachments/:id': ['attachments:delete', 'all', 'all', 'own', 'own'],
  'GET /workspace/members': ['members:read', 'all', 'all', 'all', 'all'],
  'GET /webhooks': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'GET /webhooks/:id': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'GET /webhooks/:id/why': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'GET /webhooks/:id/deliveries': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'GET /deliveries/:id': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'POST /webhooks': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'PATCH /webhooks/:id': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'POST /webhooks/:id/rotate-secret': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'POST /webhooks/:id/test': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'POST /webhooks/:id/replay': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'POST /deliveries/:id/redeliver': ['webhooks:write', 'all', 'all', 'none', 'none'],
  'DELETE /webhooks/:id': ['webhooks:delete', 'all', 'all', 'none', 'none'],
  'GET /events': ['events:read', 'all', 'all', 'none', 'none'],
  'GET /events/position': ['events:read', 'all', 'all', 'none', 'none'],
  'GET /operations': ['tasks:read', 'all', 'all', 'all', 'all'],
  'GET /operations/:id': ['tasks:read', 'all', 'all', 'own', 'own'],
  'GET /tasks/:id/operations': ['tasks:read', 'all', 'all', 'all', 'all'],
  'POST /operations/:id/undo': ['tasks:write', 'all', 'all', 'own', 'own'],
  'POST /operations/undo': ['tasks:write', 'all', 'all', 'all', 'all'],
  'GET /changes': ['any', 'all', 'all', 'all', 'all'],
  'GET /requests/:id': ['any', 'all', 'all', 'own', 'own'],
  'GET /me': ['any', 'all', 'all', 'all', 'all'],
}

export const ALL_ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']
export const PROJECT_KINDS = ['open', 'private', 'archived'] as const
export type ProjectKind = (typeof PROJECT_KINDS)[number]

/** Returns scope and rights of an endpoint. Throws if the table does not list it. */
export function getEndpointRights(endpoint: Endpoint) {
  const line = RIGHTS[endpointName(endpoint).replace('/api/v1', '')]
  if (!line) throw new Error(`${endpointName(endpoint)} is not in the table of roles`)
  const [scope, ...rights] = line
  return { scope, rights: Object.fromEntries(ALL_ROLES.map((role, at) => [role, rights[at]])) }
}

/** The guest is a member of the open and the archived project. */
export const canSeeProjectKind = (role: Role, place: ProjectKind): boolean =>
  place !== 'private' || role === 'owner' || role === 'admin'

/** Kinds of records that belong to no project. */
const WORKSPACE_RECORDS = /^(webhooks|deliveries|operations|requests)$/

/** Returns the status and error code that docs/spec/api.md#roles-and-visibility requires. */
export function expectedOutcome(
  endpoint: Endpoint,
  role: Role,
  place: ProjectKind,
  author: Role,
): string {
  const { rights } = getEndpointRights(endpoint)
  const right = rights[role]
  const noun = recordKindOf(endpoint)
  const name = endpointName(endpoint)
  const isInProject =
    noun !== undefined ? !WORKSPACE_RECORDS.test(noun) : INVISIBLE_IN_BODY[name] !== undefined
  if (right === 'none' && !isInProject) return '403 insufficient_role'
  if (isInProject && !canSeeProjectKind(role, place))
    return INVISIBLE_IN_BODY[name] ?? '404 not_found'
  const isHidden = noun === 'operations' || noun === 'requests'
  if (right === 'own' && author !== role && isHidden) return '404 not_found'
  if (right === 'none' || (right === 'own' && author !== role)) return '403 insufficient_role'
  if (place === 'archived' && name === 'POST /api/v1/operations/:id/undo')
    return '409 changed_since'
  const writes = endpoint.method !== 'GET' && isInProject
  return place === 'archived' && writes ? '409 project_archived' : String(successStatusOf(endpoint))
}

/** Endpoints that name a project or task in their body, and their reply if it is invisible. */
const INVISIBLE_IN_BODY: Record<string, string> = {
  'POST /api/v1/tasks': '422 validation_failed',
  'POST /api/v1/tasks/bulk': '404 not_found',
  'POST /api/v1/comments/bulk': '404 not_found',
  'POST /api/v1/time-entries/bulk': '404 not_found',
  'POST /api/v1/tags/bulk': '404 not_found',
}

/**
 * A workspace with an open, a private and an archived project, and records of each author in each.
 */
export interface RoleWorkspace {
  team: TestWorkspace
  records: (place: ProjectKind, author: Role) => SampleRecords
}

export async function createRoleWorkspace({ storage, server }: TestDocket): Promise<RoleWorkspace> {
  const team = await createTestWorkspace(storage)
  const system = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: team.workspace } as const
  const archived = await storage.write(system, async (tx) => {
    const by = { created_by_id: team.people.owner }
    const project_id = await createProjectRow(tx, { name: 'Old', prefix: 'OLD', ...by })
    await tx.run(insertPerson, { project_id, user_id: team.people.guest })
    return project_id
  })
  const projects: Record<ProjectKind, string> = {
    open: team.project,
    private: team.hidden,
    archived,
  }
  const made = new Map<string, SampleRecords>()
  for (const place of PROJECT_KINDS) {
    let shared: SampleRecords = {}
    for (const author of ALL_ROLES.filter((role) => canSeeProjectKind(role, place))) {
      const key = team.keys[author]
      const own = await createSampleRecords(
        server,
        key,
        projects[place],
        author,
        author === 'owner',
      )
      shared = author === 'owner' ? own : shared
      made.set(`${place} ${author}`, { ...shared, ...own })
    }
  }
  await storage.write(system, (tx) => changeProject(tx, archived, { archived: true }))
  return { team, records: (place, author) => made.get(`${place} ${author}`) ?? {} }
}

/** An id in the path or the body of a request. */
const RECORD_ID = /\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g

/**
 * Lists the places and authors of the records that a route can be called with. Of those with which
 * it sends the same request, because it names none of their records, only the first is listed.
 */
export function listRecordCases(
  { endpoint }: Route,
  roleWorkspace: RoleWorkspace,
): { place: ProjectKind; author: Role }[] {
  const cases = new Map<string, { place: ProjectKind; author: Role }>()
  for (const place of PROJECT_KINDS) {
    for (const author of ALL_ROLES.filter((role) => canSeeProjectKind(role, place))) {
      const { url, body } = buildApiCall(endpoint, roleWorkspace.records(place, author))
      const ids = `${url} ${JSON.stringify(body)}`.match(RECORD_ID) ?? []
      cases.getOrInsert(ids.join(), { place, author })
    }
  }
  return [...cases.values()]
}

/** Calls a route with a key or token, as a dry run where possible. */
export async function callRoute(
  server: TestDocket['server'],
  { endpoint }: Route,
  roleWorkspace: RoleWorkspace,
  key: string,
  place: ProjectKind,
  author: Role,
): Promise<ApiReply> {
  const asking = buildApiCall(endpoint, roleWorkspace.records(place, author))
  const url = endpoint.dryRun ? `${asking.url}?dry_run=true` : asking.url
  const reply = await callApi(server, key, { ...asking, url })
  const isDeleted = endpoint.method === 'DELETE' && !endpoint.dryRun && reply.status === 204
  if (isDeleted) await replaceAttachment(server, roleWorkspace, place, author)
  return reply
}

/** Does the same, and returns the outcome. */
export const callRouteForOutcome = async (...asked: Parameters<typeof callRoute>) =>
  summarizeReply(await callRoute(...asked))

/** Replaces a deleted attachment: deletion of attachments has no dry run. */
async function replaceAttachment(
  server: TestDocket['server'],
  roleWorkspace: RoleWorkspace,
  place: ProjectKind,
  author: Role,
) {
  const records = roleWorkspace.records(place, author)
  const upload = routes.find((route) => endpointName(route.endpoint) === UPLOAD_ENDPOINT)
  if (!upload) throw new Error('Nothing can be attached')
  const asking = buildApiCall(upload.endpoint, records)
  records.attachments = (await callApiForJson(server, roleWorkspace.team.keys[author], asking)).id
}

const UPLOAD_ENDPOINT = 'POST /api/v1/tasks/:id/attachments'
