import type { FastifyInstance } from 'fastify'
import type { Role } from '#core/actor.ts'
import type { Engine } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { published as routes } from '../../src/app.ts'
import type { Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Asking, call, made, type Replied } from './world/call.ts'
import { essenceOf } from './world/essence.ts'
import { newRecords, type Records } from './world/records.ts'
import { askingOf, nameOf, nounOf, type Place, placesOf, unknownId } from './world/requests.ts'

/** A workspace with two records of every kind, all of whose texts bear a mark. */
export interface Tenant {
  home: Home
  records: Records
  /** Others of the same kinds, for writes of its own. */
  spare: Records
  mark: string
}

export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'guest']

export async function newTenant({ storage, server }: Served, letter: string): Promise<Tenant> {
  const home = await newHome(storage)
  const mark = `canary-${letter}-${home.workspace.slice(-8)}`
  const { owner } = home.keys
  const spare = await newRecords(server, owner, home.project, mark, true)
  const records = await newRecords(server, owner, home.project, mark, true)
  return { home, records: { ...records, users: home.people.member }, spare, mark }
}

/** All records of a tenant as its owner reads them. */
export async function stateOf({ server }: Served, { home, records }: Tenant): Promise<string[]> {
  const reads = routes.filter(({ endpoint }) => /\/:id$/.test(endpoint.path))
  const texts: string[] = []
  for (const { endpoint } of reads) {
    if (endpoint.method !== 'GET' || nounOf(endpoint) === 'projects') continue
    texts.push((await call(server, home.keys.owner, askingOf(endpoint, records))).text)
  }
  return texts
}

/** What a probe found out that it should not, in a sentence. */
export interface Probed {
  probes: number
  leaks: string[]
}

/**
 * Asks everything that can be asked with the ids of another workspace, as a role of the asker's own,
 * and compares each answer with that for an id that nobody has (T2, T3, T5, T7).
 */
export async function probe(
  server: FastifyInstance,
  engine: Engine,
  asker: Tenant,
  stranger: Tenant,
  role: Role,
  statements: () => number = () => 0,
): Promise<Probed> {
  const key = asker.home.keys[role]
  const seen: Probed = { probes: 0, leaks: [] }
  const ask = async (asking: Asking, as = key): Promise<Replied & { cost: number }> => {
    seen.probes += 1
    const before = statements()
    const reply = await call(server, as, asking)
    if (as === key && `${reply.text}${JSON.stringify(reply.headers)}`.includes(stranger.mark)) {
      leak(asking, 'shows what belongs to another workspace')
    }
    return { ...reply, cost: statements() - before }
  }
  const leak = ({ method, url }: Asking, what: string) =>
    seen.leaks.push(`${engine} ${role} ${method} ${url}: ${what}`)

  for (const { endpoint } of routes) {
    const noun = nounOf(endpoint)
    if (noun !== undefined) await foreignPath(endpoint, noun)
    for (const place of placesOf(endpoint, asker.records)) await foreignId(endpoint, place)
    if (endpoint.method === 'GET') await foreignList(endpoint)
    else await foreignKey(endpoint)
  }
  await foreignBulk()
  return seen

  async function foreignPath(endpoint: Endpoint, noun: string): Promise<void> {
    const foreign = stranger.records[noun]
    if (foreign === undefined) throw new Error(`No ${noun} was made to probe with`)
    const asking = (id: string) => askingOf(endpoint, { ...asker.records, [noun]: id })
    const [is, ought] = [await ask(asking(foreign)), await ask(asking(unknownId(noun)))]
    const wanted = endpoint.scope.startsWith('webhooks:') && !isManager(role) ? 403 : 404
    if (is.status !== wanted) leak(asking(foreign), `is ${is.status}, not ${wanted}`)
    if (essenceOf(is) !== essenceOf(ought)) leak(asking(foreign), 'differs from an unknown id')
    if (is.cost !== ought.cost) leak(asking(foreign), `costs ${is.cost}, unknown ${ought.cost}`)
  }

  async function foreignId(endpoint: Endpoint, place: Place): Promise<void> {
    const foreign = stranger.records[place.noun]
    if (foreign === undefined) throw new Error(`No ${place.noun} was made to probe with`)
    const unknown = unknownId(place.noun)
    const base = askingOf(endpoint, asker.records)
    const asking = (id: string): Asking =>
      place.where === 'query'
        ? { ...base, url: `${base.url}${base.url.includes('?') ? '&' : '?'}${place.field}=${id}` }
        : { ...base, body: place.put(id) }
    const [is, ought] = [await ask(asking(foreign)), await ask(asking(unknown))]
    if (essenceOf(is, foreign) !== essenceOf(ought, unknown)) {
      leak(asking(foreign), `${place.field}: ${is.text} differs from ${ought.text}`)
    }
    const allowed =
      place.where === 'query' ? [200, 403] : TAKEN.has(place.field) ? [200] : [403, 422]
    if (!allowed.includes(is.status))
      leak(asking(foreign), `${place.field}: ${is.status} ${is.text}`)
  }

  /** A list of one's own, whole; and its pages by a cursor of the other's. */
  async function foreignList(endpoint: Endpoint): Promise<void> {
    const [own, theirs] = [asker, stranger].map(({ records }) => askingOf(endpoint, records))
    if (!own || !theirs) return
    await ask(own)
    const { properties = {} } = (endpoint.query ?? {}) as { properties?: object }
    if (!('cursor' in properties)) return
    const page = await made<{ next_cursor: string | null }>(server, stranger.home.keys.owner, {
      ...theirs,
      url: `${theirs.url}?limit=1`,
    })
    if (page.next_cursor === null) throw new Error(`${nameOf(endpoint)} has no second page`)
    const asking = { ...own, url: `${own.url}?cursor=${page.next_cursor}` }
    const { status } = await ask(asking)
    const wanted = ONLY_MANAGERS.test(endpoint.scope) && !isManager(role) ? [400, 403] : [400]
    if (!wanted.includes(status)) leak(asking, `takes a cursor of another workspace: ${status}`)
    if ('q' in properties) await ask({ ...own, url: `${own.url}?q=${stranger.mark}` })
  }

  /** A key that the other has used is as good as new. */
  async function foreignKey(endpoint: Endpoint): Promise<void> {
    const name = nameOf(endpoint)
    const headers = { 'idempotency-key': `${stranger.mark}${role}${name.replace(' ', '')}` }
    const asking = (of: Records, url = ''): Asking => {
      const one = askingOf(endpoint, of)
      return { ...one, url: one.url + url, headers: { ...one.headers, ...headers } }
    }
    if (endpoint.method === 'DELETE') {
      await ask(asking(asker.records, '?dry_run=true'))
      return
    }
    await ask(asking(stranger.spare), stranger.home.keys[role])
    const reply = await ask(asking(asker.records))
    if (reply.text.includes('idempotency_key_reused') || 'idempotency-replayed' in reply.headers) {
      leak(asking(asker.records), 'knows the idempotency key of another workspace')
    }
  }

  async function foreignBulk(): Promise<void> {
    const url = '/api/v1/tasks/bulk'
    const bulk = (operation: object) => ({
      method: 'POST',
      url,
      body: { operations: [operation], atomic: false },
    })
    const [theirs = '', unknown] = [stranger.records.tasks, unknownId('tasks')]
    for (const op of ['update', 'complete', 'delete', 'restore']) {
      const operation = (id: string) => bulk({ op, id, ...(op === 'update' && { data: {} }) })
      const [is, ought] = [await ask(operation(theirs)), await ask(operation(unknown))]
      const differs = essenceOf(is, theirs) !== essenceOf(ought, unknown)
      if (differs || !is.text.includes('"status":404')) leak(operation(theirs), is.text)
    }
    for (const { endpoint } of routes) {
      const op = BULK[nameOf(endpoint)]
      for (const { where, noun, put, field } of op ? placesOf(endpoint, asker.records) : []) {
        if (where === 'query') continue
        const id = op === 'update' ? { id: asker.records.tasks } : {}
        const operation = (of: string) => bulk({ op, ...id, data: put(of) })
        const [foreign = '', none] = [stranger.records[noun], unknownId(noun)]
        const [is, ought] = [await ask(operation(foreign)), await ask(operation(none))]
        const differs = essenceOf(is, foreign) !== essenceOf(ought, none)
        const wanted = TAKEN.has(field) ? '"status":200' : '"status":422'
        if (differs || !is.text.includes(wanted)) leak(operation(foreign), `${field}: ${is.text}`)
      }
    }
  }
}

/** Events and webhooks are for owners and admins alone, whatever the id (contract 2.3). */
const ONLY_MANAGERS = /^(webhooks|events):/
/** To remove what is not there is no fault: these fields take any id, and do nothing with it. */
const TAKEN = new Set(['remove_assignee_ids', 'remove_tag_ids'])
const BULK: Record<string, string> = {
  'POST /api/v1/tasks': 'create',
  'PATCH /api/v1/tasks/:id': 'update',
}

const isManager = (role: Role): boolean => role === 'owner' || role === 'admin'
