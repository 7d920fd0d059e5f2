import { ERROR_CODES } from '../errors/error-codes.ts'
import { FIELD_ERROR_CODES } from '../errors/field-error-codes.ts'
import type { OpenApiContent, OpenApiDocument, OpenApiSchema } from '../openapi/openapi-types.ts'
import { groupRecordsByTag, listOperations, type OperationCall } from '../openapi/operations.ts'
import { createReferenceContext, type ReferenceContext } from '../openapi/reference-context.ts'
import { operationAnchor, recordAnchor } from '../openapi/schema-description.ts'
import { listSchemaFields, refName, resolveRef } from '../openapi/schema-fields.ts'
import type { GuideContent } from './guide-content.ts'
import { guidePath } from './guide-files.ts'
import { SEARCH_KEYWORDS } from './search-keywords.ts'

/**
 * A place that the search of the docs finds. What it is called elsewhere are its `keywords`, which
 * count almost as much as its title; `words` are what its text mentions.
 */
export interface SearchEntry {
  readonly title: string
  readonly page: string
  readonly href: string
  readonly keywords?: string
  readonly words: string
}

/** All guides with their headings, the operations and records of the API, and the error codes. */
export function createSearchIndex(
  guides: readonly GuideContent[],
  openapi: OpenApiDocument,
): SearchEntry[] {
  const context = createReferenceContext(openapi)
  return [
    ...guides.flatMap(guideEntries).map(withKeywords),
    ...listOperations(openapi).map((call) => operationEntry(context, call)),
    ...[...groupRecordsByTag(openapi).values()].flat().map((name) => recordEntry(context, name)),
    ...errorEntries(),
  ]
}

function guideEntries({ slug, title, summary, sections }: GuideContent): SearchEntry[] {
  const path = guidePath(slug)
  return [
    { title, page: 'Guide', href: path, words: summary },
    ...sections.flatMap((section) => [
      {
        title: section.title,
        page: title,
        href: `${path}#${section.id}`,
        words: section.words.join(' '),
      },
      ...section.subheadings.map((heading) => ({
        title: heading.title,
        page: title,
        href: `${path}#${heading.id}`,
        words: section.title,
      })),
    ]),
  ]
}

function withKeywords(entry: SearchEntry): SearchEntry {
  const keywords = SEARCH_KEYWORDS[entry.href]
  return keywords === undefined ? entry : { ...entry, keywords }
}

function operationEntry(context: ReferenceContext, call: OperationCall): SearchEntry {
  const { method, path, operation } = call
  const { operationId, summary, parameters = [], requestBody, responses } = operation
  const body = jsonSchema(requestBody?.content)
  const replies = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const replyNames = replies.map(([, { content }]) => refName(jsonSchema(content)))
  return {
    title: summary,
    page: 'Reference',
    href: `/docs#${operationAnchor(operation)}`,
    keywords: joinWords([
      SEARCH_KEYWORDS[operationId],
      operationId,
      method,
      path.replace('/api/v1', ''),
      path,
      refName(body),
    ]),
    words: joinWords([
      ...parameters.map(({ name }) => name),
      ...fieldNames(context, body),
      ...listSchemaNames(context.openapi, body),
      ...replyNames,
    ]),
  }
}

function recordEntry(context: ReferenceContext, name: string): SearchEntry {
  const schema = context.openapi.components?.schemas?.[name] ?? {}
  return {
    title: name,
    page: 'Record',
    href: `/docs#${recordAnchor(name)}`,
    keywords: joinWords(fieldNames(context, schema)),
    words: joinWords(listSchemaNames(context.openapi, schema)),
  }
}

function errorEntries(): SearchEntry[] {
  const codes = ERROR_CODES.map(
    ({ code, status, meaning }) => [code, `${status} ${meaning}`] as const,
  )
  const fieldCodes = Object.entries(FIELD_ERROR_CODES).map(([code, [meaning]]) => [code, meaning])
  return [...codes, ...fieldCodes].map(([code = '', meaning]) => ({
    title: code,
    page: 'Error codes',
    href: `/docs/errors#${code}`,
    words: `${code.replaceAll('_', ' ')} ${meaning}`,
  }))
}

const jsonSchema = (content: OpenApiContent = {}): OpenApiSchema =>
  content['application/json']?.schema ?? {}

const fieldNames = (context: ReferenceContext, schema: OpenApiSchema) =>
  listSchemaFields(context, schema).map(({ name }) => name)

/** The names of the schemas that a schema refers to, directly or through others. */
function listSchemaNames(
  openapi: OpenApiDocument,
  schema: OpenApiSchema,
  names = new Set<string>(),
): string[] {
  const name = refName(schema)
  if (name !== undefined && names.has(name)) return []
  if (name !== undefined) names.add(name)
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = resolveRef(openapi, schema)
  const parts = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf]
  for (const part of items ? [...parts, items] : parts) listSchemaNames(openapi, part, names)
  return [...names]
}

const joinWords = (words: readonly (string | undefined)[]) =>
  [...new Set(words.filter((word) => word !== undefined))].join(' ')
