import type { TSchema } from 'typebox'
import type { Route } from '#core/route.ts'
import { PATHS } from '#identity/oauth/server.ts'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { SCOPE_WORDS } from '#wire/scopes.ts'
import { FAILURES, HEADERS } from './openapi-common.ts'
import { DOWNLOAD, UPLOAD } from './openapi-files.ts'
import type { OpenApiDocument, Operation, Schema } from './pages/document.ts'

/** OpenAPI 3.1 of the routes that are published, made from the schemas that read their input. */
export function openapiOf(served: readonly Route[], baseUrl: string): OpenApiDocument {
  const routes = served.filter(({ endpoint }) => endpoint.scope !== 'session')
  const schemas: Record<string, Schema> = { ...COMMON }
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { endpoint } of routes) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, referring(schemas)),
    }
  }
  const tags = [...new Set(routes.map(({ endpoint }) => endpoint.tag))].map((name) => ({ name }))
  const document = {
    openapi: '3.1.0',
    info: { title: 'Docket API', version: '1', description: ABOUT },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }, { oauth: [] }],
    tags,
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'dkt_…' },
        oauth: { type: 'oauth2', flows: { authorizationCode: flowOf(baseUrl) } },
      },
    },
  }
  return document
}

const ABOUT =
  'Projects, tasks, comments, time, tags, members and webhooks of one workspace. ' +
  'Every request is authenticated by an API key or an access token.'

/** How an application comes to an access token (contract 4.4). */
const flowOf = (baseUrl: string) => ({
  authorizationUrl: baseUrl + PATHS.authorization,
  tokenUrl: baseUrl + PATHS.token,
  refreshUrl: baseUrl + PATHS.token,
  scopes: SCOPE_WORDS,
})

const COMMON: Record<string, Schema> = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['type', 'code', 'message', 'request_id', 'doc_url', 'details'],
        properties: {
          type: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
          request_id: { type: 'string' },
          doc_url: { type: 'string' },
          details: {
            type: 'array',
            items: {
              type: 'object',
              required: ['field', 'code', 'message'],
              properties: {
                field: { type: 'string' },
                code: { type: 'string' },
                message: { type: 'string' },
                resource_id: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
}

/** A schema as the document shows it. */
type Plain = (schema: unknown) => Schema

/** Puts schemas that have a title (records) among the components, and refers to them. */
function referring(components: Record<string, Schema>): Plain {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== 'object' || value === null) return value
    const { title } = value as { title?: unknown }
    if (typeof title === 'string') {
      components[title] ??= members(value)
      return { $ref: `#/components/schemas/${title}` }
    }
    return members(value)
  }
  // What only the reader of input needs stays out of the document.
  const members = (value: object): Schema =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !name.startsWith('x-') && !name.startsWith('~'))
        .map(([name, one]) => [name, plain(one)]),
    )
  // A TypeBox schema is JSON Schema already; what is left of it is one too.
  return (schema) => plain(schema) as Schema
}

function operationOf(endpoint: Endpoint, plain: Plain): Operation {
  const { method, path, summary, description, scope, tag, body, reply } = endpoint
  const { upload, download, bodyOptional } = endpoint
  const content = (schema: TSchema) => ({ 'application/json': { schema: plain(schema) } })
  const success = {
    description: reply ? 'Done.' : 'Done; there is no body.',
    headers: HEADERS,
    ...(reply && { content: content(reply) }),
  }
  const taken = body && (upload ? UPLOAD : { required: !bodyOptional, content: content(body) })
  return {
    operationId: operationIdOf(method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(scope !== 'any' && {
      'x-scope': scope,
      security: [{ key: [] }, { oauth: [scope] }],
    }),
    parameters: [
      ...pathParameters(path),
      ...queryParameters(endpoint, plain),
      ...headers(endpoint),
    ],
    ...(taken && { requestBody: taken }),
    responses: { ...(download ? DOWNLOAD : { [statusOf(endpoint)]: success }), ...FAILURES },
  }
}

/** `GET /api/v1/tasks/:id/comments` is `get_tasks_id_comments`. */
const operationIdOf = (method: string, path: string) =>
  `${method.toLowerCase()}_${path.replace('/api/v1/', '').replaceAll(/[:]/g, '').replaceAll(/[/-]/g, '_')}`

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(path.startsWith('/api/v1/tasks/:id') && {
      description: 'Its id, or its short id such as ENG-42.',
    }),
  }))

function queryParameters({ query, dryRun }: Endpoint, plain: Plain) {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, TSchema> }
  const all = { ...properties, ...(dryRun && { dry_run: DRY_RUN }) }
  return Object.entries(all).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    ...('type' in schema && schema.type === 'array' && { style: 'form', explode: false }),
    schema: plain(schema),
  }))
}

const DRY_RUN = {
  type: 'boolean',
  description: 'Does all checks and shows the reply, but changes nothing.',
}

function headers({ method, conditions, download }: Endpoint) {
  const header = (name: string) => ({
    name,
    in: 'header',
    required: false,
    schema: { type: 'string' },
  })
  if (method === 'GET') {
    const compared = conditions === 'compared' ? [header('If-None-Match')] : []
    return [...compared, ...(download ? [header('Range'), header('If-Range')] : [])]
  }
  return [header('Idempotency-Key'), ...(conditions === 'compared' ? [header('If-Match')] : [])]
}
