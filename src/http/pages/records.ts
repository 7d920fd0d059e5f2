import type { Content, OpenApiDocument, Operation, Schema } from './document.ts'
import { refName, resolved, withoutNull } from './schema.ts'

/** What a successful reply holds: one record, or a page of them. */
export interface Answer {
  readonly record: string
  readonly page: boolean
}

/** The record in a reply's content, if it is one of the document's named schemas. */
export function answerOf(openapi: OpenApiDocument, content?: Content): Answer | undefined {
  const schema = content?.['application/json']?.schema
  if (!schema) return undefined
  const items = resolved(openapi, schema).properties?.data?.items
  const listed = items && refName(items)
  if (listed) return { record: listed, page: true }
  const record = refName(schema)
  return record ? { record, page: false } : undefined
}

/**
 * Every record with the first tag whose operations answer with it or with one that holds it, in the
 * order of the operations. Schemas that are only sent, or only tell of errors, are not records.
 */
export function recordsByTag(openapi: OpenApiDocument): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const seen = new Set<string>()
  for (const { operation } of operationsOf(openapi)) {
    const [tag = ''] = operation.tags
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const answer = status.startsWith('2') ? answerOf(openapi, content) : undefined
      const names = answer ? withInner(openapi, answer.record) : []
      const fresh = names.filter((name) => !seen.has(name) && isObject(openapi, name))
      for (const name of fresh) seen.add(name)
      found.set(tag, [...(found.get(tag) ?? []), ...fresh])
    }
  }
  return found
}

/** All operations with their path and method, in the document's order. */
export function operationsOf(openapi: OpenApiDocument) {
  return Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ path, method, operation })),
  )
}

/** An operation and where it is called. `method` is in lower case. */
export interface Call {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

function isObject(openapi: OpenApiDocument, name: string): boolean {
  return openapi.components?.schemas?.[name]?.properties !== undefined
}

function withInner(openapi: OpenApiDocument, name: string, above: string[] = []): string[] {
  if (above.includes(name)) return []
  const { properties = {} } = openapi.components?.schemas?.[name] ?? {}
  const inner = Object.values(properties).flatMap(refsIn)
  return [name, ...inner.flatMap((one) => withInner(openapi, one, [...above, name]))]
}

function refsIn(property: Schema): string[] {
  const { schema } = withoutNull(property)
  const name = refName(schema)
  if (name) return [name]
  return [schema.items, ...Object.values(schema.properties ?? {})].flatMap((one) =>
    one ? refsIn(one) : [],
  )
}
