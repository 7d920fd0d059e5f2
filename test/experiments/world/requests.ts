import type { Endpoint } from '#wire/endpoint.ts'
import type { Asking } from './call.ts'
import type { Records } from './records.ts'

/** Where a request names records: in its address, its query or its body. */
export interface Place {
  where: 'query' | 'body'
  field: string
  noun: string
  /** Puts an id there: the value of the parameter, or the whole body. */
  put: (id: string) => unknown
}

interface Schema {
  type?: string
  pattern?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

const NOUNS: Record<string, string> = {
  prj: 'projects',
  tsk: 'tasks',
  cmt: 'comments',
  tme: 'time-entries',
  tag: 'tags',
  whk: 'webhooks',
  att: 'attachments',
  dlv: 'deliveries',
  evt: 'events',
  usr: 'users',
}

const PREFIXES = Object.fromEntries(Object.entries(NOUNS).map(([prefix, noun]) => [noun, prefix]))

export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`

/** What stands before `:id` in the path of an endpoint: the kind of record that it names. */
export function nounOf({ path }: Endpoint): string | undefined {
  const noun = /\/([a-z-]+)\/:\w+/.exec(path)?.[1]
  if (noun !== undefined && !(noun in PREFIXES)) {
    throw new Error(`${path} names a kind of record that the matrices do not know`)
  }
  return noun
}

/** An id of a kind that no record has. */
export const unknownId = (noun: string): string => `${PREFIXES[noun]}_01k2m3n4p5q6r7s8t9v0w1x2y3`

/** Bodies that each write takes; an endpoint that needs one and is not here cannot be placed. */
const BODIES: Record<string, (of: Records) => unknown> = {
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
  'POST /api/v1/webhooks': () => ({ url: 'https://example.com/hook', events: ['task.created'] }),
  'PATCH /api/v1/webhooks/:id': () => ({ description: `Changed ${Math.random()}` }),
  'POST /api/v1/webhooks/:id/replay': () => ({ from_sequence: 1 }),
}

/** A request that an endpoint takes, about these records. */
export function askingOf(endpoint: Endpoint, of: Records): Asking {
  const { method, path, body, bodyOptional } = endpoint
  const name = nameOf(endpoint)
  const noun = nounOf(endpoint)
  const url = noun === undefined ? path : path.replace(/:\w+/, of[noun] ?? unknownId(noun))
  if (name === 'POST /api/v1/tasks/:id/attachments') {
    return {
      method,
      url: `${url}?filename=a.txt`,
      body: 'A',
      headers: { 'content-type': 'text/plain' },
    }
  }
  const made = BODIES[name]
  if (body && !bodyOptional && !made) throw new Error(`${name} has no body in the matrices`)
  return { method, url, ...(made && { body: made(of) }) }
}

/** All places but the path in which a request of the endpoint can name a record. */
export function placesOf(endpoint: Endpoint, of: Records): Place[] {
  const base = askingOf(endpoint, of).body
  const inQuery = fieldsOf(endpoint.query).map(({ field, noun }): Place => {
    return { where: 'query', field, noun, put: (id) => id }
  })
  // What the body of an upload is, the pipeline alone says.
  const fields = endpoint.upload ? [] : fieldsOf(endpoint.body)
  const inBody = fields.map(({ field, noun, many }): Place => {
    const put = (id: string) => ({ ...Object(base), [field]: many ? [id] : id })
    return { where: 'body', field, noun, put }
  })
  return [...inQuery, ...inBody]
}

/** The fields of an object's schema that hold ids, or lists of them. */
export function fieldsOf(schema: unknown): { field: string; noun: string; many: boolean }[] {
  const { properties = {} } = (schema ?? {}) as Schema
  return Object.entries(properties).flatMap(([field, one]) => {
    const [plain = {}] = one.anyOf?.filter(({ type }) => type !== 'null') ?? [one]
    const { pattern = '' } = plain.items ?? plain
    const prefix = /([a-z]{3})_\[0-9a-hjkmnp/.exec(pattern)?.[1]
    const noun = prefix === undefined ? undefined : NOUNS[prefix]
    return noun === undefined ? [] : [{ field, noun, many: plain.items !== undefined }]
  })
}
