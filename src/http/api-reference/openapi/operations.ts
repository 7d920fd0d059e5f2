import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from './openapi-types.ts'
import { refName, resolveRef, withoutNull } from './schema-fields.ts'

/** The content of a successful response: one record, or a page of them. */
export interface RecordResponse {
  readonly record: string
  readonly page: boolean
}

/** Finds the record in a response, if it is a named schema of the document. */
export function findRecordResponse(
  openapi: OpenApiDocument,
  content?: OpenApiContent,
): RecordResponse | undefined {
  const schema = content?.['application/json']?.schema
  if (!schema) return undefined
  const items = resolveRef(openapi, schema).properties?.data?.items
  const itemName = items && refName(items)
  if (itemName) return { record: itemName, page: true }
  const record = refName(schema)
  return record ? { record, page: false } : undefined
}

/**
 * Groups records by the first tag whose operations return them or a record that contains them, in
 * the order of the operations. Schemas of request bodies and errors are not records.
 */
export function groupRecordsByTag(openapi: OpenApiDocument): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  const seen = new Set<string>()
  for (const { operation } of listOperations(openapi)) {
    const [tag = ''] = operation.tags
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const response = status.startsWith('2') ? findRecordResponse(openapi, content) : undefined
      const names = response ? withNestedRecords(openapi, response.record) : []
      const newNames = names.filter((name) => !seen.has(name) && isObject(openapi, name))
      for (const name of newNames) seen.add(name)
      groups.set(tag, [...(groups.get(tag) ?? []), ...newNames])
    }
  }
  return groups
}

/** All operations with path and method, in the order of the document. */
export function listOperations(openapi: OpenApiDocument) {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): OperationCall => ({ path, method, operation }),
    ),
  )
}

/** An operation with its path and its method in lower case. */
export interface OperationCall {
  readonly path: string
  readonly method: string
  readonly operation: OpenApiOperation
}

function isObject(openapi: OpenApiDocument, name: string): boolean {
  return openapi.components?.schemas?.[name]?.properties !== undefined
}

function withNestedRecords(
  openapi: OpenApiDocument,
  name: string,
  ancestors: string[] = [],
): string[] {
  if (ancestors.includes(name)) return []
  const { properties = {} } = openapi.components?.schemas?.[name] ?? {}
  const nested = Object.values(properties).flatMap(listRefs)
  return [name, ...nested.flatMap((one) => withNestedRecords(openapi, one, [...ancestors, name]))]
}

function listRefs(property: OpenApiSchema): string[] {
  const { schema } = withoutNull(property)
  const name = refName(schema)
  if (name) return [name]
  const { items, properties = {}, additionalProperties: values } = schema
  return [items, typeof values === 'object' && values, ...Object.values(properties)].flatMap(
    (one) => (one ? listRefs(one) : []),
  )
}
