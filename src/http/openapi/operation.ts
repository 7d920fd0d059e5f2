import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import type {
  OpenApiContent,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
} from '../api-reference/openapi/openapi-types.ts'
import { errorResponsesOf } from './error-responses.ts'
import { type HeaderName, headersNamed, RATE_LIMIT_HEADERS } from './headers.ts'
import { parametersOf } from './parameters.ts'
import { exampleOf, type RecordedExample } from './recorded-examples.ts'
import type { SchemaConverter } from './schema-converter.ts'

/** Describes an endpoint as an operation of the document. Throws if it has no `operationId`. */
export function createOperation(endpoint: Endpoint, converter: SchemaConverter): OpenApiOperation {
  const { method, path, operationId, summary, description, roles, scope, tag } = endpoint
  if (operationId === undefined) throw new Error(`${method} ${path} needs an operationId`)
  const sentences = [description, roles && `Roles: ${roles}`].filter(Boolean)
  const example = exampleOf(method, path)
  return {
    operationId,
    summary,
    ...(sentences.length > 0 && { description: sentences.join('\n\n') }),
    tags: [tag],
    ...(scope !== 'any' && {
      'x-scope': scope,
      security: [{ apiKey: [] }, { oauth: [scope] }],
    }),
    ...(roles && { 'x-roles': roles }),
    parameters: parametersOf(endpoint, converter),
    ...requestBodyOf(endpoint, converter, example),
    responses: { ...successesOf(endpoint, converter, example), ...errorResponsesOf(endpoint) },
  }
}

const BYTES = { type: 'string', format: 'binary' }

/** A file is sent in a form, or as the whole body with its own type (docs/spec/api.md#extensions). */
const UPLOAD_CONTENT: OpenApiContent = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { file: { ...BYTES, description: 'The file, with its name.' } },
    },
  },
  'application/octet-stream': { schema: BYTES },
}

function requestBodyOf(
  { method, body, bodyOptional, upload }: Endpoint,
  converter: SchemaConverter,
  example?: RecordedExample,
): Pick<OpenApiOperation, 'requestBody'> {
  if (upload) return { requestBody: { required: true, content: UPLOAD_CONTENT } }
  if (!body) return {}
  const schema = converter.convert(body, method === 'PATCH' ? 'update' : 'request')
  // A body without fields need not be sent, and many generators would make an argument of it.
  if (schema.properties && Object.keys(schema.properties).length === 0) return {}
  const content = jsonContent(schema, example?.request.body)
  return { requestBody: { required: !bodyOptional, content } }
}

function successesOf(
  endpoint: Endpoint,
  converter: SchemaConverter,
  example?: RecordedExample,
): Record<string, OpenApiResponse> {
  const { reply, download, conditions, method } = endpoint
  const status = successStatusOf(endpoint)
  const headers = headersNamed([...RATE_LIMIT_HEADERS, ...successHeaders(endpoint)])
  const notModified = { description: 'It has not changed.', headers: headersNamed(['ETag']) }
  const success = {
    description: MEANINGS[status] ?? '',
    headers,
    ...(reply && {
      content: jsonContent(converter.convert(reply, 'reply'), example?.response.body),
    }),
  }
  return {
    ...(download ? DOWNLOADS : { [status]: success }),
    ...(method === 'GET' && conditions === 'compared' && { 304: notModified }),
  }
}

const jsonContent = (schema: OpenApiSchema, example: unknown): OpenApiContent => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'It was created.',
  202: 'It was accepted, and happens after the reply.',
  204: 'It was deleted. The reply has no body.',
}

function successHeaders({ method, conditions, status, dryRun }: Endpoint): HeaderName[] {
  const hasTag = conditions === 'compared' && method !== 'DELETE'
  if (method === 'GET') return hasTag ? ['ETag'] : []
  return [
    ...when(hasTag || status === 201, 'ETag'),
    ...when(status === 201, 'Location'),
    'X-Operation-Id',
    'Idempotency-Replayed',
    ...when(dryRun === true, 'X-Dry-Run'),
  ]
}

const when = (condition: boolean, name: HeaderName): HeaderName[] => (condition ? [name] : [])

const FILE_HEADERS: readonly HeaderName[] = [
  ...RATE_LIMIT_HEADERS,
  'ETag',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Security-Policy',
]
const FILE_CONTENT: OpenApiContent = { 'application/octet-stream': { schema: BYTES } }

/** A file is sent whole, or as the one requested range. */
const DOWNLOADS: Readonly<Record<string, OpenApiResponse>> = {
  200: { description: 'The file.', headers: headersNamed(FILE_HEADERS), content: FILE_CONTENT },
  206: {
    description: 'The requested part of the file.',
    headers: headersNamed([...FILE_HEADERS, 'Content-Range']),
    content: FILE_CONTENT,
  },
}
