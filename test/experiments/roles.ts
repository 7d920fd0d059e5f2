import { NOBODY, type Role } from '#core/actor.ts'
import type { Route } from '#core/route.ts'
import { changeProject } from '#resources/projects/change.ts'
import { addPerson, createProject } from '#resources/projects/create.ts'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import type { Scope } from '#wire/scopes.ts'
import { published as routes } from '../../src/app.ts'
import type { Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { call, made, outcomeOf, type Replied } from './world/call.ts'
import { newRecords, type Records } from './world/records.ts'
import { askingOf, nameOf, nounOf } from './world/requests.ts'

/** What a role may do with a record: anything, only with what it made, nothing. */
type Right = 'all' | 'own' | 'none'

/** Contract 4.3, line by line: the scope, and the rights of owner, admin, member and guest. */
const LINES: Record<string, [Scope | 'any', Right, Right, Right, Right]> = {
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
  'GET /tasks/:id/comments': ['comments:read', 'all', 'all', 'all', 'all'],
  'GET /comments/:id': ['comments:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/comments': ['comments:write', 'all', 'all', 'all', 'all'],
  'PATCH /comments/:id': ['comments:write', 'own', 'own', 'own', 'own'],
  'DELETE /comments/:id': ['comments:delete', 'all', 'all', 'own', 'own'],
  'GET /tasks/:id/time-entries': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'GET /time-entries/:id': ['time_entries:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/time-entries': ['time_entries:write', 'all', 'all', 'all', 'all'],
  'PATCH /time-entries/:id': ['time_entries:write', 'all', 'all', 'own', 'own'],
  'DELETE /time-entries/:id': ['time_entries:delete', 'all', 'all', 'own', 'own'],
  'GET /projects/:id/tags': ['tags:read', 'all', 'all', 'all', 'all'],
  'GET /tags/:id': ['tags:read', 'all', 'all', 'all', 'all'],
  'POST /projects/:id/tags': ['tags:write', 'all', 'all', 'all', 'none'],
  'PATCH /tags/:id': ['tags:write', 'all', 'all', 'all', 'none'],
  'DELETE /tags/:id': ['tags:delete', 'all', 'all', 'all', 'none'],
  'GET /tasks/:id/attachments': ['attachments:read', 'all', 'all', 'all', 'all'],
  'GET /attachments/:id': ['attachments:read', 'all', 'all', 'all', 'all'],
  'GET /attachments/:id/content': ['attachments:read', 'all', 'all', 'all', 'all'],
  'POST /tasks/:id/attachments': ['attachments:write', 'all', 'all', 'all', 'all'],
  'DELETE /attachments/:id': ['attachments:delete', 'all', 'all', 'own', 'own'],
  'GET /workspace/members': ['members:read', 'all', 'all', 'all', 'all'],
  'GET /webhooks': ['webhooks:read', 'all', 'all', 'none', 'none'],
  'GET /webhooks/:id': ['webhooks:read', 'all', 'all', 'none', 'none'],
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
  'GET /me': ['any', 'all', 'all', 'all', 'all'],
}

export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']
export const PLACES = ['open', 'private', 'archived'] as const
export type Place = (typeof PLACES)[number]

/** The scope and the rights that the contract gives an endpoint; one that it does not list is no endpoint. */
export function lineOf(endpoint: Endpoint) {
  const line = LINES[nameOf(endpoint).replace('/api/v1', '')]
  if (!line) throw new Error(`${nameOf(endpoint)} is not in the table of roles`)
  const [scope, ...rights] = line
  return { scope, rights: Object.fromEntries(ROLES.map((role, at) => [role, rights[at]])) }
}

/** Who sees the projects of these tests: the guest is in the lists of the open and the archived one. */
export const sees = (role: Role, place: Place): boolean =>
  place !== 'private' || role === 'owner' || role === 'admin'

/** Reads and workspace-wide things go on whether a project is archived or not. */
const OUTSIDE = /^(webhooks|deliveries)$/

/** How a request must end, by the contract: its status, and the code of its error. */
export function expected(endpoint: Endpoint, role: Role, place: Place, author: Role): string {
  const { rights } = lineOf(endpoint)
  const right = rights[role]
  const noun = nounOf(endpoint)
  const name = nameOf(endpoint)
  const inProject = noun !== undefined ? !OUTSIDE.test(noun) : NAMES_IN_BODY[name] !== undefined
  if (right === 'none' && !inProject) return '403 insufficient_role'
  if (inProject && !sees(role, place)) return NAMES_IN_BODY[name] ?? '404 not_found'
  if (right === 'none' || (right === 'own' && author !== role)) return '403 insufficient_role'
  const writes = endpoint.method !== 'GET' && inProject
  return place === 'archived' && writes ? '409 project_archived' : String(statusOf(endpoint))
}

/** These name the project, or what is in it, in their body: what an invisible one is answered. */
const NAMES_IN_BODY: Record<string, string> = {
  'POST /api/v1/tasks': '422 validation_failed',
  'POST /api/v1/tasks/bulk': '404 not_found',
}

/** A workspace with an open, a private and an archived project, and records in each by each author. */
export interface House {
  home: Home
  records: (place: Place, author: Role) => Records
}

export async function newHouse({ storage, server }: Served): Promise<House> {
  const home = await newHome(storage)
  const system = { ...NOBODY, role: 'owner', workspace_id: home.workspace } as const
  const archived = await storage.write(system, async (tx) => {
    const by = { created_by_id: home.people.owner }
    const project_id = await createProject(tx, { name: 'Old', prefix: 'OLD', ...by })
    await tx.run(addPerson, { project_id, user_id: home.people.guest })
    return project_id
  })
  const projects: Record<Place, string> = { open: home.project, private: home.hidden, archived }
  const made = new Map<string, Records>()
  for (const place of PLACES) {
    let shared: Records = {}
    for (const author of ROLES.filter((role) => sees(role, place))) {
      const key = home.keys[author]
      const own = await newRecords(server, key, projects[place], author, author === 'owner')
      shared = author === 'owner' ? own : shared
      made.set(`${place} ${author}`, { ...shared, ...own })
    }
  }
  await storage.write(system, (tx) => changeProject(tx, archived, { archived: true }))
  return { home, records: (place, author) => made.get(`${place} ${author}`) ?? {} }
}

/** What a route answers a key or token; where it can be, without doing anything. */
export async function answer(
  server: Served['server'],
  { endpoint }: Route,
  house: House,
  key: string,
  place: Place,
  author: Role,
): Promise<Replied> {
  const asking = askingOf(endpoint, house.records(place, author))
  const url = endpoint.dryRun ? `${asking.url}?dry_run=true` : asking.url
  const reply = await call(server, key, { ...asking, url })
  const isGone = endpoint.method === 'DELETE' && !endpoint.dryRun && reply.status === 204
  if (isGone) await renew(server, house, place, author)
  return reply
}

/** How it ends, in a word. */
export const outcome = async (...asked: Parameters<typeof answer>) =>
  outcomeOf(await answer(...asked))

/** Only attachments cannot be deleted dry: another takes the place of the one that is gone. */
async function renew(server: Served['server'], house: House, place: Place, author: Role) {
  const records = house.records(place, author)
  const upload = routes.find((route) => nameOf(route.endpoint) === UPLOAD)
  if (!upload) throw new Error('Nothing can be attached')
  const asking = askingOf(upload.endpoint, records)
  records.attachments = (await made(server, house.home.keys[author], asking)).id
}

const UPLOAD = 'POST /api/v1/tasks/:id/attachments'
