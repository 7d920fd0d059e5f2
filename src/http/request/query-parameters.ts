import type { TSchema } from 'typebox'
import type { Actor } from '#core/actor.ts'
import { ApiError, summarizeErrors } from '#core/api-error.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError, toQueryError } from '#wire/field-error.ts'
import {
  createSchemaParser,
  type InputSchema,
  type SchemaParseResult,
} from '#wire/schema-parser.ts'

/** Parameters that the pipeline itself uses; operations read the rest. */
interface QueryParameters {
  limit?: number
  cursor?: string
  sort?: string
  dry_run?: boolean
  /** Of an upload whose body is the file. */
  filename?: string
  /** Of a feed: the position after which it goes on. */
  after?: string
}

/** One parameter that an endpoint accepts. */
interface ParameterReader {
  name: string
  /** A list may be repeated; any other parameter has one value. */
  isList: boolean
  /** Reads the decoded texts of all its occurrences, of which there is at least one. */
  read: (texts: readonly string[]) => SchemaParseResult
}

/**
 * Creates the parser of an endpoint's query string (docs/spec/api.md#query-parameters). Parameters that are unknown,
 * empty, outside their domain or, unless they are lists, repeated are a bad request (400).
 */
export function createQueryParser(endpoint: Endpoint): (query: string) => QueryParameters {
  const { properties: own, required = [] } = (endpoint.query as InputSchema | undefined) ?? {}
  const properties = {
    ...own,
    ...(endpoint.dryRun && { dry_run: { type: 'boolean' } }),
  }
  const readers = new Map(
    Object.entries(properties).map(([name, schema]) => [name, createParameterReader(name, schema)]),
  )
  return (query) => {
    if (query === '' && required.length === 0) return {}
    const errors: FieldError[] = []
    const textsByReader = new Map<ParameterReader, string[]>()
    for (const part of query.split('&')) {
      if (part === '') continue
      if (errors.length >= MAX_ERRORS) break
      const [name, text] = splitPair(part)
      const reader = readers.get(name)
      const texts = reader && textsByReader.get(reader)
      if (!reader) errors.push(unknownParameter(name, [...readers.keys()]))
      else if (!texts) textsByReader.set(reader, [text])
      else if (reader.isList) texts.push(text)
      else errors.push(fieldError(name, 'duplicate', 'is given twice', 'query'))
    }
    const values: Record<string, unknown> = {}
    for (const [reader, texts] of textsByReader) {
      if (errors.length >= MAX_ERRORS) break
      const reading = reader.read(texts)
      errors.push(...reading.errors)
      values[reader.name] = reading.value
    }
    for (const name of required) {
      if (!Object.hasOwn(values, name))
        errors.push(fieldError(name, 'required', 'is required', 'query'))
    }
    if (errors.length > 0) throw invalidQuery(errors)
    return values
  }
}

/** Returns the query string of a request target, without the question mark. */
export function getQueryString(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at + 1)
}

/** Returns the default sort of a list endpoint; undefined for any other endpoint. */
export function getDefaultSort({ query }: Endpoint): string | undefined {
  const { limit, sort } =
    (query as { properties?: Record<string, { default?: string }> })?.properties ?? {}
  return limit && (sort?.default ?? 'created_at')
}

/**
 * Identifies the list to which a cursor is bound: workspace, path as sent, and all filters. Filters are compared by
 * their values, so a list may be repeated on one page and separated by commas on the next.
 */
export function getCursorScope(
  { workspace_id }: Actor,
  target: string,
  query: QueryParameters,
): string {
  const { limit: _, cursor: __, sort: ___, ...filters } = query
  const names = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${workspace_id} ${target.split('?', 1)[0]} ${JSON.stringify(names)}`
}

/** A URL has room for 4,000 unknown names, and each of their errors lists all known names. */
const MAX_ERRORS = 20

function unknownParameter(name: string, known: readonly string[]): FieldError {
  const why = known.length > 0 ? `; accepted parameters: ${known.join(', ')}` : ''
  return fieldError(name.slice(0, 80), 'unknown_field', `is not accepted${why}`, 'query')
}

/** An invalid cursor has its own code, unless other parameters are invalid too. */
function invalidQuery(errors: FieldError[]): ApiError {
  const isCursor = errors.every(({ field, code }) => field === 'cursor' && code !== 'unknown_field')
  const errorCode = isCursor ? 'invalid_cursor' : 'invalid_parameter'
  return new ApiError(400, errorCode, summarizeErrors(errors), { details: errors })
}

function splitPair(part: string): [name: string, value: string] {
  const equals = part.indexOf('=')
  const name = decode(equals === -1 ? part : part.slice(0, equals), part)
  return [name, equals === -1 ? '' : decode(part.slice(equals + 1), name)]
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidQuery([
      fieldError(field.slice(0, 80), 'invalid_format', 'must be percent-encoded UTF-8', 'query'),
    ])
  }
}

function createParameterReader(name: string, schema: InputSchema): ParameterReader {
  const parse = createSchemaParser(schema as TSchema)
  const convert = createTextConverter(schema)
  const isList = schema.type === 'array'
  const read = (texts: readonly string[]): SchemaParseResult => {
    if (texts.includes('')) {
      const error = fieldError(name, 'too_short', 'must not be empty', 'query')
      return { value: undefined, errors: [error] }
    }
    const values = isList ? texts.flatMap((text) => text.split(',')) : texts.map(convert)
    const { value, errors } = parse(isList ? values : values[0])
    return { value, errors: errors.map((error) => toQueryError(error, name, values.length)) }
  }
  return { name, isList, read }
}

/** Converts the text of a parameter to the type of its schema, and leaves it as it is if it has another. */
function createTextConverter({ type }: InputSchema): (text: string) => unknown {
  if (type === 'integer') {
    return (text) => (/^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : text)
  }
  if (type === 'boolean') return (text) => text === 'true' || (text === 'false' ? false : text)
  return (text) => text
}
