import {
  listCalls,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiSchema,
} from '../../openapi/document-types.ts'
import { refName, resolveRef, withoutNull } from './schema-words.ts'

/** What the description of a schema needs to know about the rest of the document. */
export interface ReferenceContext {
  readonly openapi: OpenApiDocument
  /** Whether a named schema has a section of its own on the page, to which others link. */
  isRecord(name: string): boolean
  /** The operation whose body a named schema is, where its fields are listed. */
  findBodyOperation(name: string): OpenApiOperation | undefined
}

export function createReferenceContext(openapi: OpenApiDocument): ReferenceContext {
  const records = new Set([...groupRecordsByTag(openapi).values()].flat())
  const bodies = new Map<string, OpenApiOperation>()
  for (const { operation } of listCalls(openapi)) {
    const schema = operation.requestBody?.content['application/json']?.schema
    const name = schema && refName(schema)
    if (name !== undefined) bodies.set(name, operation)
  }
  return {
    openapi,
    isRecord: (name) => records.has(name),
    findBodyOperation: (name) => bodies.get(name),
  }
}

/** The content of a successful response: one record, or a page of them. */
interface RecordResponse {
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
  for (const { operation } of listCalls(openapi)) {
    const [tag = ''] = operation.tags
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const response = status.startsWith('2') ? findRecordResponse(openapi, content) : undefined
      // One response may contain a record in several places.
      const names = new Set(response ? withNestedRecords(openapi, response.record) : [])
      const newNames = [...names].filter(
        (name) => !seen.has(name) && openapi.components?.schemas?.[name]?.properties,
      )
      for (const name of newNames) seen.add(name)
      groups.set(tag, [...(groups.get(tag) ?? []), ...newNames])
    }
  }
  return groups
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
