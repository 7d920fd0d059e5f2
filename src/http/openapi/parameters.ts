import { Type } from 'typebox'
import type { Endpoint } from '#wire/endpoint.ts'
import { Named } from '#wire/schema-builders.ts'
import type { OpenApiParameter } from '../api-reference/openapi/openapi-types.ts'
import type { SchemaConverter } from './schema-converter.ts'

/** The parameters of an operation: in its path, its query and its headers. */
export function parametersOf(endpoint: Endpoint, converter: SchemaConverter): OpenApiParameter[] {
  return [
    ...pathParameters(endpoint, converter),
    ...queryParameters(endpoint, converter),
    ...headerParameters(endpoint),
  ]
}

function pathParameters({ params }: Endpoint, converter: SchemaConverter): OpenApiParameter[] {
  return Object.entries(params?.properties ?? {}).map(([name, field]) => {
    // Not the pattern of the id: a malformed one is answered like an unknown one, by 404.
    const { description, pattern: _, ...schema } = converter.convert(field, 'reply')
    return { name, in: 'path', required: true, description, schema }
  })
}

function queryParameters(
  { query, dryRun, operationId = '' }: Endpoint,
  converter: SchemaConverter,
): OpenApiParameter[] {
  const required = new Set(query?.required)
  return Object.entries({ ...query?.properties, ...(dryRun && { dry_run: DRY_RUN }) }).map(
    ([name, field]) => {
      const named = name === 'sort' ? Named(sortName(operationId), field) : field
      const { description, ...schema } = converter.convert(named, 'request')
      const isList = schema.type === 'array'
      return {
        name,
        in: 'query',
        required: required.has(name),
        description,
        ...(isList && { style: 'form', explode: false }),
        schema,
      }
    },
  )
}

/** The name of an enum: "ProjectTaskSort" for `listProjectTasks`. */
const sortName = (operationId: string) =>
  `${operationId.replace(/^list/, '').replace(/ies$/, 'y').replace(/s$/, '')}Sort`

const DRY_RUN = Type.Boolean({
  description: 'Makes all checks and returns the reply, but changes nothing.',
})

function headerParameters({ method, conditions, download }: Endpoint): OpenApiParameter[] {
  const compares = conditions === 'compared'
  if (method !== 'GET') return [IDEMPOTENCY_KEY, ...(compares ? [IF_MATCH] : [])]
  return [...(compares ? [IF_NONE_MATCH] : []), ...(download ? [RANGE, IF_RANGE] : [])]
}

const header = (
  name: string,
  description: string,
  schema: OpenApiParameter['schema'],
): OpenApiParameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...schema },
})

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Any value of your own, such as a UUID. A request that repeats it within 24 hours gets the ' +
    'stored reply and changes nothing, so that a retry is safe.',
  { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
)
const IF_MATCH = header(
  'If-Match',
  'The `ETag` that you read, or `*`. If the record has changed since, the reply is 412 and ' +
    'nothing is changed.',
  { examples: ['"7-a91c02ff"'] },
)
const IF_NONE_MATCH = header(
  'If-None-Match',
  'The `ETag` that you have, or `*`. If it is still current, the reply is 304 without a body.',
  { examples: ['"7-a91c02ff"'] },
)
const RANGE = header('Range', 'The part of the file to send: one range of bytes.', {
  examples: ['bytes=0-1023'],
})
const IF_RANGE = header(
  'If-Range',
  'The `ETag` of the part that you have. If it differs, the whole file is sent.',
  {},
)
