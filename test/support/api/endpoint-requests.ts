import { recordOf } from '#resources/nouns.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { RECORD_TYPES } from '#wire/scopes.ts'
import type { ApiCall } from './call-api.ts'
import type { SampleRecords } from './sample-records.ts'

/** A place in the query or the body of a request that holds the id of a record. */
export interface IdLocation {
  where: 'query' | 'body'
  field: string
  noun: string
  /** Returns the value of the parameter, or the whole body, with this id. */
  put: (id: string) => unknown
}

interface IdSchema {
  type?: string
  pattern?: string
  anyOf?: IdSchema[]
  items?: IdSchema
  properties?: Record<string, IdSchema>
}

/** Kinds of records that are not in the feed of changes, by the prefix of their ids. */
const OTHER_KINDS = {
  whk: 'webhooks',
  dlv: 'deliveries',
  evt: 'events',
  usr: 'users',
  opr: 'operations',
  req: 'requests',
}

const KINDS_BY_PREFIX: Record<string, string> = {
  ...Object.fromEntries(
    RECORD_TYPES.map(recordOf).map(({ idPrefix, table }) => [idPrefix, table.replace('_', '-')]),
  ),
  ...OTHER_KINDS,
}

/** The prefix of the ids of a kind of record. */
export const PREFIXES_BY_KIND: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(KINDS_BY_PREFIX).map(([prefix, noun]) => [noun, prefix]),
)

export const endpointName = ({ method, path }: Endpoint): string => `${method} ${path}`

/** Returns the kind of record that a path names: the segment before `:id`. */
export function recordKindOf({ path }: Endpoint): string | undefined {
  const noun = /\/([a-z-]+)\/:\w+/.exec(path)?.[1]
  if (noun !== undefined && !(noun in PREFIXES_BY_KIND)) {
    throw new Error(`${path} names a kind of record that the matrices do not know`)
  }
  return noun
}

/** Returns an id that no record has. */
export const createUnknownId = (noun: string): string =>
  `${PREFIXES_BY_KIND[noun]}_01zzm3n4p5q6r7s8t9v0w1x2y3`

/** A valid body for each write. An endpoint that needs a body has to be listed here. */
const VALID_BODIES: Record<string, (of: SampleRecords) => unknown> = {
  'POST /api/v1/tasks': ({ projects }) => ({ project_id: projects, title: 'New' }),
  'PATCH /api/v1/tasks/:id': () => ({ title: `Changed ${Math.random()}` }),
  'POST /api/v1/tasks/bulk': ({ tasks }) => ({
    operations: [{ op: 'update', id: tasks, data: { title: `In bulk ${Math.random()}` } }],
  }),
  'POST /api/v1/tasks/:id/comments': () => ({ body: 'Fine' }),
  'PATCH /api/v1/comments/:id': () => ({ body: `Better ${Math.random()}` }),
  'POST /api/v1/tasks/:id/time-entries': () => ({ duration_seconds: 60 }),
  'PATCH /api/v1/time-entries/:id': () => ({ note: `Later ${Math.random()}` }),
  'POST /api/v1/projects/:id/tags': () => ({ name: `T${Math.random()}` }),
  'PATCH /api/v1/tags/:id': () => ({ name: `T${Math.random()}` }),
  'POST /api/v1/comments/bulk': ({ tasks }) => ({
    operations: [{ op: 'create', task_id: tasks, data: { body: 'In bulk' } }],
  }),
  'POST /api/v1/time-entries/bulk': ({ tasks }) => ({
    operations: [{ op: 'create', task_id: tasks, data: { duration_seconds: 60 } }],
  }),
  'POST /api/v1/tags/bulk': ({ projects }) => ({
    operations: [{ op: 'create', project_id: projects, data: { name: `T${Math.random()}` } }],
  }),
  'POST /api/v1/webhooks': () => ({ url: 'https://example.com/hook', events: ['task.created'] }),
  'PATCH /api/v1/webhooks/:id': () => ({ description: `Changed ${Math.random()}` }),
  'POST /api/v1/operations/undo': () => ({ since: '2099-01-01T00:00:00Z' }),
  'POST /api/v1/webhooks/:id/replay': () => ({ from_sequence: 1 }),
}

/** Builds a valid request to an endpoint with these records. */
export function buildApiCall(endpoint: Endpoint, of: SampleRecords): ApiCall {
  const { method, path, body, bodyOptional } = endpoint
  const name = endpointName(endpoint)
  const noun = recordKindOf(endpoint)
  const target = noun === undefined ? path : path.replace(/:\w+/, of[noun] ?? createUnknownId(noun))
  const url =
    name === 'GET /api/v1/webhooks/:id/why'
      ? `${target}?event_id=${of.events ?? createUnknownId('events')}`
      : target
  if (name === 'POST /api/v1/tasks/:id/attachments') {
    return {
      method,
      url: `${url}?filename=a.txt`,
      body: 'A',
      headers: { 'content-type': 'text/plain' },
    }
  }
  const createBody = VALID_BODIES[name]
  if (body && !bodyOptional && !createBody) throw new Error(`${name} has no body in the matrices`)
  return { method, url, ...(createBody && { body: createBody(of) }) }
}

/** Lists all places of a request, except its path, that can hold the id of a record. */
export function listIdLocations(endpoint: Endpoint, of: SampleRecords): IdLocation[] {
  const base = buildApiCall(endpoint, of).body
  const inQuery = findIdFields(endpoint.query).map(({ field, noun }): IdLocation => {
    return { where: 'query', field, noun, put: (id) => id }
  })
  // The body of an upload has no fields in its schema.
  const fields = endpoint.upload ? [] : findIdFields(endpoint.body)
  const inBody = fields.map(({ field, noun, many }): IdLocation => {
    // Operations to undo are named by their ids or chosen by filters.
    const others = field === 'ids' ? {} : Object(base)
    const put = (id: string) => ({ ...others, [field]: many ? [id] : id })
    return { where: 'body', field, noun, put }
  })
  return [...inQuery, ...inBody]
}

/** Lists the fields of a schema that hold ids or lists of ids. */
export function findIdFields(schema: unknown): { field: string; noun: string; many: boolean }[] {
  const { properties = {} } = (schema ?? {}) as IdSchema
  return Object.entries(properties).flatMap(([field, one]) => {
    const [plain = {}] = one.anyOf?.filter(({ type }) => type !== 'null') ?? [one]
    const { pattern = '' } = plain.items ?? plain
    const prefix = /([a-z]{3})_\[0-9a-hjkmnp/.exec(pattern)?.[1]
    const noun = prefix === undefined ? undefined : KINDS_BY_PREFIX[prefix]
    return noun === undefined ? [] : [{ field, noun, many: plain.items !== undefined }]
  })
}
