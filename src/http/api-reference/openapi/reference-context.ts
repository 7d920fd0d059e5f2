import {
  groupRecordsByTag,
  listOperations,
  type OpenApiDocument,
  type OpenApiOperation,
} from './operations.ts'
import { refName } from './schema-description.ts'

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
  for (const { operation } of listOperations(openapi)) {
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
