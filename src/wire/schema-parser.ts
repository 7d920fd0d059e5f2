import type { TSchema } from 'typebox'
import { type FieldError, type FieldErrorCode, fieldError, nestFieldError } from './field-error.ts'
import { createTextParser } from './text-parser.ts'

/** The value in its stored form (trimmed, in UTC, …), or all field errors. */
export type SchemaParseResult = { value: unknown; errors: FieldError[] }
export type SchemaParser = (value: unknown) => SchemaParseResult

/** Parses the value at a path and adds its errors to `errors`. */
export type ValueParser = (value: unknown, path: string, errors: FieldError[]) => unknown

/** The part of JSON Schema that the schema builders produce and parsing needs. */
export interface InputSchema {
  type?: string
  anyOf?: InputSchema[]
  enum?: string[]
  properties?: Record<string, InputSchema>
  required?: string[]
  additionalProperties?: boolean | InputSchema
  propertyNames?: { pattern: string; 'x-expected'?: string }
  items?: InputSchema
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  uniqueItems?: boolean
  'x-expected'?: string
  'x-fault'?: FieldErrorCode
  'x-read-only'?: string[]
  'x-exclusive'?: [string, string][]
  'x-together'?: (input: Readonly<Record<string, unknown>>) => FieldError[]
}

/**
 * A body has room for 100,000 unknown fields, and the error of each is a hundred times as long as
 * the field.
 */
const MAX_FIELD_ERRORS = 100

/**
 * Creates the parser of a schema; call it once for each schema. The parser never coerces values and
 * returns all errors at once, with the codes and paths of docs/spec/api.md#types-and-codes.
 */
export function createSchemaParser(schema: TSchema): SchemaParser {
  const parse = parserOf(schema as InputSchema)
  return (value) => {
    const errors: FieldError[] = []
    // A body that is null has the wrong type, like any other that is no object (docs/spec/api.md#bodies-and-content-types).
    if (value === null)
      return { value, errors: [fieldError('', 'invalid_type', 'must be an object')] }
    return { value: parse(value, '', errors), errors }
  }
}

function parserOf(schema: InputSchema): ValueParser {
  if (schema.anyOf) return anyOfParser(schema.anyOf)
  const rejectNull = (parse: ValueParser): ValueParser => {
    return (value, path, errors) => {
      if (value !== null) return parse(value, path, errors)
      errors.push(fieldError(path, 'not_nullable', 'cannot be null'))
      return undefined
    }
  }
  return rejectNull(PARSER_BY_TYPE[schema.type ?? '']?.(schema) ?? ((value) => value))
}

/** The JSON types in words, as messages name them. */
const TYPE_NAMES = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'an array',
  object: 'an object',
} as const

const nameOfType = (type = ''): string =>
  Object.entries(TYPE_NAMES).find(([name]) => name === type)?.[1] ?? type

const PARSER_BY_TYPE: Record<string, (schema: InputSchema) => ValueParser> = {
  string: (schema) => typedParser('string', TYPE_NAMES.string, createTextParser(schema)),
  boolean: () => typedParser('boolean', TYPE_NAMES.boolean, (value) => value),
  integer: (schema) => typedParser('number', TYPE_NAMES.integer, rangeParser(schema, true)),
  number: (schema) => typedParser('number', TYPE_NAMES.number, rangeParser(schema, false)),
  array: (schema) => arrayParser(schema),
  object: (schema) => (schema.properties ? fieldsParser(schema) : membersParser(schema)),
}

function typedParser(type: string, typeName: string, parse: ValueParser): ValueParser {
  return (value, path, errors) => {
    if (typeof value === type) return parse(value, path, errors)
    errors.push(fieldError(path, 'invalid_type', `must be ${typeName}`))
    return undefined
  }
}

/**
 * Chooses the alternative by the JSON type of the value: null, or the first that accepts the type.
 */
function anyOfParser(schemas: InputSchema[]): ValueParser {
  const isNullable = schemas.some(({ type }) => type === 'null')
  const nonNull = schemas.filter(({ type }) => type !== 'null')
  const parsers = nonNull.map((schema) => ({ type: schema.type, parse: parserOf(schema) }))
  return (value, path, errors) => {
    if (value === null && isNullable) return null
    const kind = Array.isArray(value) ? 'array' : typeof value
    const match = parsers.find(
      ({ type }) => type === kind || (type === 'integer' && kind === 'number'),
    )
    const only = parsers.length === 1 ? parsers[0] : undefined
    const chosen = match ?? only
    if (chosen) return chosen.parse(value, path, errors)
    const [code, why] =
      value === null
        ? (['not_nullable', 'cannot be null'] as const)
        : ([
            'invalid_type',
            `must be ${nonNull.map(({ type }) => nameOfType(type)).join(', or ')}`,
          ] as const)
    errors.push(fieldError(path, code, why))
    return undefined
  }
}

function rangeParser(
  { minimum = -Infinity, maximum = Infinity }: InputSchema,
  isInteger: boolean,
): ValueParser {
  return (value, path, errors) => {
    const number = Number(value)
    if (number < minimum) errors.push(fieldError(path, 'too_small', `must be at least ${minimum}`))
    else if (number > maximum)
      errors.push(fieldError(path, 'too_large', `must be at most ${maximum}`))
    else if (isInteger && !Number.isInteger(number)) {
      errors.push(fieldError(path, 'invalid_type', 'must be a whole number'))
    }
    // Turns -0 into 0: one engine would return it as 0, the other as -0.
    return number + 0
  }
}

function arrayParser(schema: InputSchema): ValueParser {
  const parseItem = schema.items ? parserOf(schema.items) : undefined
  const { minItems = 0, maxItems = Infinity, uniqueItems } = schema
  return (value, path, errors) => {
    if (!Array.isArray(value)) {
      errors.push(fieldError(path, 'invalid_type', `must be ${TYPE_NAMES.array}`))
      return undefined
    }
    if (value.length < minItems) {
      errors.push(fieldError(path, 'too_few', `must contain at least ${countOf(minItems, 'item')}`))
    }
    if (value.length > maxItems) {
      errors.push(fieldError(path, 'too_many', `must contain at most ${countOf(maxItems, 'item')}`))
      return undefined
    }
    const seen = new Set<unknown>()
    return value.map((item, at) => {
      const parsed = parseItem ? parseItem(item, `${path}[${at}]`, errors) : item
      if (uniqueItems && seen.has(item)) {
        errors.push(fieldError(`${path}[${at}]`, 'duplicate', 'is already in the list'))
      }
      seen.add(item)
      return parsed
    })
  }
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const joinPath = (path: string, name: string) => (path ? `${path}.${name}` : name)

function fieldsParser({ properties = {}, required = [], ...schema }: InputSchema): ValueParser {
  const parsers = new Map(
    Object.entries(properties).map(([name, property]) => [name, parserOf(property)]),
  )
  const readOnly = new Set(schema['x-read-only'])
  const acceptedNames = [...parsers.keys()].join(', ')
  const exclusive = schema['x-exclusive'] ?? []
  return (value, path, errors) => {
    if (!isObject(value)) {
      errors.push(fieldError(path, 'invalid_type', 'must be an object'))
      return undefined
    }
    const parsed: Record<string, unknown> = {}
    for (const name of required) {
      if (!Object.hasOwn(value, name))
        errors.push(fieldError(joinPath(path, name), 'required', 'is required'))
    }
    for (const [first, second] of exclusive) {
      if (Object.hasOwn(value, first) && Object.hasOwn(value, second)) {
        errors.push(
          fieldError(
            joinPath(path, second),
            'conflicting_fields',
            `cannot be combined with \`${first}\``,
          ),
        )
      }
    }
    for (const [name, field] of Object.entries(value)) {
      if (errors.length >= MAX_FIELD_ERRORS) break
      const parse = parsers.get(name)
      if (parse) parsed[name] = parse(field, joinPath(path, name), errors)
      else if (readOnly.has(name)) {
        errors.push(fieldError(joinPath(path, name), 'read_only_field', 'cannot be set here'))
      } else {
        const field = joinPath(path, name.slice(0, 80))
        const what = field === '' ? 'has a field without a name' : 'is not an accepted field'
        const why = acceptedNames ? `${what}; accepted fields: ${acceptedNames}` : what
        errors.push(fieldError(field, 'unknown_field', why))
      }
    }
    for (const error of schema['x-together']?.(value) ?? []) {
      errors.push(path ? nestFieldError(error, joinPath(path, error.field)) : error)
    }
    return parsed
  }
}

/** An object with free keys, such as `metadata`. A null removes its member and does not count. */
function membersParser(schema: InputSchema): ValueParser {
  const { propertyNames, additionalProperties, maxProperties = Infinity } = schema
  const pattern = new RegExp(propertyNames?.pattern ?? '')
  const parseMember = isObject(additionalProperties) ? parserOf(additionalProperties) : undefined
  return (value, path, errors) => {
    if (!isObject(value)) {
      errors.push(fieldError(path, 'invalid_type', 'must be an object'))
      return undefined
    }
    // Stops at the limit: a body has room for 100,000 members.
    let count = 0
    for (const name of Object.keys(value)) {
      if (value[name] !== null) count += 1
      if (count > maxProperties) break
    }
    if (count > maxProperties) {
      errors.push(
        fieldError(path, 'too_many', `must have at most ${countOf(maxProperties, 'member')}`),
      )
      return undefined
    }
    const parsed = Object.entries(value).map(([name, member]) => {
      if (errors.length < MAX_FIELD_ERRORS && !pattern.test(name)) {
        const why = `must have a name ${propertyNames?.['x-expected']}`
        errors.push(fieldError(joinPath(path, name.slice(0, 80)), 'invalid_format', why))
      }
      if (member === null || !parseMember) return [name, member]
      return [name, parseMember(member, joinPath(path, name), errors)]
    })
    return Object.fromEntries(parsed)
  }
}
