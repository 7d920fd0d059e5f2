import type { TSchema } from 'typebox'
import type { Actor } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { type Reader, readerOf, type Schema } from '#wire/read.ts'

/** What the pipeline itself looks at; the rest is the operation's. */
interface Parameters {
  limit?: number
  cursor?: string
  sort?: string
  dry_run?: boolean
}

/**
 * Reads the query string by the endpoint's schema (contract 1.6). What is wrong with it is a bad
 * request (400): unknown, given twice, empty, or outside its domain.
 */
export function parametersOf(endpoint: Endpoint): (query: string) => Parameters {
  const properties = {
    ...(endpoint.query as Schema | undefined)?.properties,
    ...(endpoint.dryRun && { dry_run: { type: 'boolean' } }),
  }
  const parameters = new Map(Object.entries(properties).map(([name, of]) => [name, parameter(of)]))
  return (query) => {
    if (query === '') return {}
    const read: Record<string, unknown> = {}
    const faults: Fault[] = []
    for (const part of query.split('&')) {
      if (part === '') continue
      if (faults.length >= MOST_FAULTS) break
      const [name, text] = pair(part)
      const parameter = parameters.get(name)
      if (!parameter) {
        const known = [...parameters.keys()].join(', ')
        faults.push(
          fault(name, 'unknown_field', known ? `is not one of: ${known}` : 'is not known here'),
        )
      } else if (Object.hasOwn(read, name)) faults.push(fault(name, 'duplicate', 'is given twice'))
      else {
        const { value, faults: found } = text === '' ? EMPTY : parameter(text)
        for (const one of found) faults.push({ ...one, field: name })
        read[name] = value
      }
    }
    if (faults.length > 0) throw refusal(faults)
    return read
  }
}

/** The query string of a request target. */
export function searchOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at + 1)
}

/** The default order of a list; undefined for what is no list. */
export function orderOf({ query }: Endpoint): string | undefined {
  const { limit, sort } =
    (query as { properties?: Record<string, { default?: string }> })?.properties ?? {}
  return limit && (sort?.default ?? 'created_at')
}

/** What a cursor belongs to: workspace, path as sent, and every filter. */
export function listName({ workspace_id }: Actor, target: string, query: Parameters): string {
  const { limit: _, cursor: __, sort: ___, ...filters } = query
  const names = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${workspace_id} ${target.split('?', 1)[0]} ${JSON.stringify(names)}`
}

/** So many are told: an address has room for 4,000 unknown names, and each is told all that are known. */
const MOST_FAULTS = 20

const EMPTY = { value: undefined, faults: [fault('', 'too_short', 'must not be empty')] }

/** A bad cursor has a code of its own, unless something else is wrong too. */
function refusal(faults: Fault[]): Refusal {
  const isCursor = faults.every(({ field, code }) => field === 'cursor' && code !== 'unknown_field')
  const wrong = faults.map(({ field, message }) => `${field}: ${message.replace(/^The body /, '')}`)
  const name = isCursor ? 'invalid_cursor' : 'invalid_parameter'
  return new Refusal(400, name, wrong.join(' '), { details: faults })
}

function pair(part: string): [name: string, value: string] {
  const at = part.indexOf('=')
  const name = decode(at === -1 ? part : part.slice(0, at), part)
  return [name, at === -1 ? '' : decode(part.slice(at + 1), name)]
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refusal([fault(field.slice(0, 80), 'invalid_format', 'is not percent-encoded UTF-8')])
  }
}

/** A parameter is text; its schema tells what it stands for. */
function parameter(schema: Schema): (text: string) => ReturnType<Reader> {
  const read = readerOf(schema as TSchema)
  if (schema.type === 'integer') {
    return (text) => read(/^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : text)
  }
  if (schema.type === 'boolean') {
    return (text) => read(text === 'true' || (text === 'false' ? false : text))
  }
  if (schema.type === 'array') return (text) => read(text.split(','))
  return (text) => read(text)
}
