import type { FastifyInstance } from 'fastify'
import type { Route } from '#core/route.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { publicRoutes as routes } from '#server/routes.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Role } from '#wire/rights.ts'
import { type ApiCall, type ApiReply, callApi, callApiForJson } from '../support/api/call-api.ts'
import { toComparableReply } from '../support/api/comparable-reply.ts'
import {
  buildApiCall,
  createUnknownId,
  endpointName,
  type IdLocation,
  listIdLocations,
  recordKindOf,
} from '../support/api/endpoint-requests.ts'
import { createSampleRecords, type SampleRecords } from '../support/api/sample-records.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/** A workspace with two records of every kind, whose texts all contain a mark. */
export interface Tenant {
  team: TestWorkspace
  records: SampleRecords
  /** More records of the same kinds, for writes of the tenant itself. */
  spare: SampleRecords
  mark: string
}

export async function createTenant(
  { storage, server }: TestDocket,
  letter: string,
): Promise<Tenant> {
  const team = await createTestWorkspace(storage)
  const mark = `canary-${letter}-${team.workspace.slice(-8)}`
  const { owner } = team.keys
  const spare = await createSampleRecords(server, owner, team.project, mark, true)
  const records = await createSampleRecords(server, owner, team.project, mark, true)
  return { team, records: { ...records, users: team.people.member }, spare, mark }
}

/**
 * What an attempt at a delivery changes: a server of another test file may have a dispatcher on the
 * same PostgreSQL.
 */
const ATTEMPT_FIELDS =
  /"(status|failure_count|last_\w+_at|attempt_count|next_attempt_at|duration_ms|error)":(null|"[^"]*"|\d+),?/g

/** Reads all records of a tenant as its owner. */
export async function readTenantRecords(
  { server }: TestDocket,
  { team, records }: Tenant,
): Promise<string[]> {
  const reads = routes.filter(({ endpoint }) => /\/:id$/.test(endpoint.path))
  const texts: string[] = []
  for (const { endpoint } of reads) {
    if (endpoint.method !== 'GET' || recordKindOf(endpoint) === 'projects') continue
    const { text } = await callApi(server, team.keys.owner, buildApiCall(endpoint, records))
    texts.push(
      /webhooks|deliveries/.test(endpoint.path) ? text.replaceAll(ATTEMPT_FIELDS, '') : text,
    )
  }
  return texts
}

/** How many requests were sent, and what they revealed. */
export interface TenantProbeResult {
  probes: number
  leaks: string[]
}

/**
 * Sends every request with the ids of another workspace, as a role of the asker's own workspace,
 * and compares each reply and its number of statements with those for an unknown id.
 */
export async function probeTenant(
  server: FastifyInstance,
  engine: DatabaseEngine,
  asker: Tenant,
  stranger: Tenant,
  role: Role,
  statements: () => number = () => 0,
  probedRoutes: readonly Route[] = routes,
): Promise<TenantProbeResult> {
  const key = asker.team.keys[role]
  const result: TenantProbeResult = { probes: 0, leaks: [] }
  const send = async (asking: ApiCall, as = key): Promise<ApiReply & { cost: number }> => {
    result.probes += 1
    const before = statements()
    const reply = await callApi(server, as, asking)
    if (as === key && `${reply.text}${JSON.stringify(reply.headers)}`.includes(stranger.mark)) {
      addLeak(asking, 'shows what belongs to another workspace')
    }
    return { ...reply, cost: statements() - before }
  }
  const addLeak = ({ method, url }: ApiCall, what: string) =>
    result.leaks.push(`${engine} ${role} ${method} ${url}: ${what}`)

  for (const { endpoint } of probedRoutes) {
    const noun = recordKindOf(endpoint)
    if (noun !== undefined) await probePath(endpoint, noun)
    for (const place of listIdLocations(endpoint, asker.records))
      await probeIdField(endpoint, place)
    if (endpoint.method === 'GET') await probeList(endpoint)
    else await probeIdempotencyKey(endpoint)
  }
  await probeBulk()
  return result

  async function probePath(endpoint: Endpoint, noun: string): Promise<void> {
    const foreign = stranger.records[noun]
    if (foreign === undefined) throw new Error(`No ${noun} was made to probe with`)
    const asking = (id: string) => buildApiCall(endpoint, { ...asker.records, [noun]: id })
    const [actual, expected] = [
      await send(asking(foreign)),
      await send(asking(createUnknownId(noun))),
    ]
    const expectedStatus = endpoint.scope.startsWith('webhooks:') && !isManager(role) ? 403 : 404
    if (actual.status !== expectedStatus)
      addLeak(asking(foreign), `is ${actual.status}, not ${expectedStatus}`)
    if (toComparableReply(actual) !== toComparableReply(expected))
      addLeak(asking(foreign), 'differs from an unknown id')
    if (actual.cost !== expected.cost)
      addLeak(asking(foreign), `costs ${actual.cost}, unknown ${expected.cost}`)
  }

  async function probeIdField(endpoint: Endpoint, place: IdLocation): Promise<void> {
    const foreign = stranger.records[place.noun]
    if (foreign === undefined) throw new Error(`No ${place.noun} was made to probe with`)
    const unknown = createUnknownId(place.noun)
    const base = buildApiCall(endpoint, asker.records)
    const asking = (id: string): ApiCall =>
      place.where === 'query'
        ? { ...base, url: `${base.url.split('?')[0]}?${place.field}=${id}` }
        : { ...base, body: place.put(id) }
    const [actual, expected] = [await send(asking(foreign)), await send(asking(unknown))]
    if (toComparableReply(actual, foreign) !== toComparableReply(expected, unknown)) {
      addLeak(asking(foreign), `${place.field}: ${actual.text} differs from ${expected.text}`)
    }
    // Its body has the filters of a list, or ids.
    const isUndo = endpoint.path.endsWith('/operations/undo') && place.field !== 'ids'
    const isFilter = place.where === 'query' || isUndo
    const allowed = isFilter ? [200, 403] : FIELDS_FOR_ANY_ID.has(place.field) ? [200] : [403, 422]
    if (!allowed.includes(actual.status))
      addLeak(asking(foreign), `${place.field}: ${actual.status} ${actual.text}`)
  }

  /** Reads an own list, and its pages with a cursor of the other workspace. */
  async function probeList(endpoint: Endpoint): Promise<void> {
    const [own, theirs] = [asker, stranger].map(({ records }) => buildApiCall(endpoint, records))
    if (!own || !theirs) return
    await send(own)
    const { properties = {} } = (endpoint.query ?? {}) as { properties?: object }
    if (!('cursor' in properties)) return
    const page = await callApiForJson<{ next_cursor: string | null }>(
      server,
      stranger.team.keys.owner,
      {
        ...theirs,
        url: `${theirs.url}?limit=1`,
      },
    )
    if (page.next_cursor === null) throw new Error(`${endpointName(endpoint)} has no second page`)
    const asking = { ...own, url: `${own.url}?cursor=${page.next_cursor}` }
    const { status } = await send(asking)
    const expectedStatus =
      ONLY_MANAGERS.test(endpoint.scope) && !isManager(role) ? [400, 403] : [400]
    if (!expectedStatus.includes(status))
      addLeak(asking, `takes a cursor of another workspace: ${status}`)
    if ('q' in properties) await send({ ...own, url: `${own.url}?q=${stranger.mark}` })
  }

  /** An idempotency key that the other workspace has used must be unused here. */
  async function probeIdempotencyKey(endpoint: Endpoint): Promise<void> {
    const name = endpointName(endpoint)
    const headers = { 'idempotency-key': `${stranger.mark}${role}${name.replace(' ', '')}` }
    const asking = (of: SampleRecords, url = ''): ApiCall => {
      const one = buildApiCall(endpoint, of)
      return { ...one, url: one.url + url, headers: { ...one.headers, ...headers } }
    }
    if (endpoint.method === 'DELETE') {
      await send(asking(asker.records, '?dry_run=true'))
      return
    }
    await send(asking(stranger.spare), stranger.team.keys[role])
    const reply = await send(asking(asker.records))
    if (reply.text.includes('idempotency_key_reused') || 'idempotency-replayed' in reply.headers) {
      addLeak(asking(asker.records), 'knows the idempotency key of another workspace')
    }
  }

  async function probeBulk(): Promise<void> {
    const bulk = (operation: object, noun = 'tasks') => ({
      method: 'POST',
      url: `/api/v1/${noun}/bulk`,
      body: { operations: [operation], atomic: false },
    })
    const probe = async (noun: string, named: string, fields: (id: string) => object) => {
      const [theirs = '', unknown] = [stranger.records[named], createUnknownId(named)]
      const operation = (id: string) => bulk(fields(id), noun)
      const [actual, expected] = [await send(operation(theirs)), await send(operation(unknown))]
      const differs = toComparableReply(actual, theirs) !== toComparableReply(expected, unknown)
      if (differs || !actual.text.includes('"status":404')) addLeak(operation(theirs), actual.text)
    }
    for (const op of ['complete', 'restore']) await probe('tasks', 'tasks', (id) => ({ op, id }))
    for (const noun of ['tasks', 'comments', 'time-entries', 'tags']) {
      await probe(noun, noun, (id) => ({ op: 'update', id, data: {} }))
      await probe(noun, noun, (id) => ({ op: 'delete', id }))
    }
    for (const noun of ['comments', 'time-entries'])
      await probe(noun, 'tasks', (id) => ({ op: 'create', task_id: id, data: {} }))
    await probe('tags', 'projects', (id) => ({ op: 'create', project_id: id, data: {} }))
    for (const { endpoint } of probedRoutes) {
      const op = BULK_OPERATIONS[endpointName(endpoint)]
      for (const { where, noun, put, field } of op
        ? listIdLocations(endpoint, asker.records)
        : []) {
        if (where === 'query') continue
        const id = op === 'update' ? { id: asker.records.tasks } : {}
        const operation = (of: string) => bulk({ op, ...id, data: put(of) })
        const [foreign = '', none] = [stranger.records[noun], createUnknownId(noun)]
        const [actual, expected] = [await send(operation(foreign)), await send(operation(none))]
        const differs = toComparableReply(actual, foreign) !== toComparableReply(expected, none)
        const expectedStatus = FIELDS_FOR_ANY_ID.has(field) ? '"status":200' : '"status":422'
        if (differs || !actual.text.includes(expectedStatus))
          addLeak(operation(foreign), `${field}: ${actual.text}`)
      }
    }
  }
}

/** Only owners and admins may use events and webhooks, whatever the id (docs/spec/api.md#order-of-checks). */
const ONLY_MANAGERS = /^(webhooks|events):/
/** These fields accept any id: removing something that is not there is no error. */
const FIELDS_FOR_ANY_ID = new Set(['remove_assignee_ids', 'remove_tag_ids'])
const BULK_OPERATIONS: Record<string, string> = {
  'POST /api/v1/tasks': 'create',
  'PATCH /api/v1/tasks/:id': 'update',
}

const isManager = (role: Role): boolean => role === 'owner' || role === 'admin'
