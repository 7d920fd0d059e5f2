import type { TSchema } from 'typebox'
import { type Fault, type FaultCode, fault } from './fault.ts'
import { readText } from './text.ts'

/** What reading gives: the value in its stored form (trimmed, in UTC, …), or all its faults. */
export type Reading = { value: unknown; faults: Fault[] }
export type Reader = (value: unknown) => Reading

/** Reads one value at a path, noting what is wrong with it. */
export type Check = (value: unknown, path: string, faults: Fault[]) => unknown

/** The JSON Schema that our stones are made of, as far as reading goes. */
export interface Schema {
  type?: string
  anyOf?: Schema[]
  enum?: string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: { pattern: string }
  items?: Schema
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
  'x-fault'?: FaultCode
  'x-read-only'?: string[]
  'x-apart'?: [string, string][]
  'x-together'?: (given: Readonly<Record<string, unknown>>) => Fault[]
}

/**
 * So many are told: a body has room for 100,000 unknown fields, and what is said of each is a hundred
 * times as long as the field.
 */
const MOST_FAULTS = 100

/**
 * Makes the reader of a schema, once. It never coerces, finds all faults together, and gives each
 * the code and the path that the contract names (1.3, 2.2).
 */
export function readerOf(schema: TSchema): Reader {
  const check = checkOf(schema as Schema)
  return (value) => {
    const faults: Fault[] = []
    // What is no object at all is of the wrong type, null too (contract 1.2).
    if (value === null) return { value, faults: [fault('', 'invalid_type', 'must be an object')] }
    return { value: check(value, '', faults), faults }
  }
}

function checkOf(schema: Schema): Check {
  if (schema.anyOf) return oneOf(schema.anyOf)
  const refuseNull = (check: Check): Check => {
    return (value, path, faults) => {
      if (value !== null) return check(value, path, faults)
      faults.push(fault(path, 'not_nullable', 'cannot be null'))
      return undefined
    }
  }
  return refuseNull(CHECKS[schema.type ?? '']?.(schema) ?? ((value) => value))
}

const CHECKS: Record<string, (schema: Schema) => Check> = {
  string: (schema) => ofType('string', 'a string', readText(schema)),
  boolean: () => ofType('boolean', 'true or false', (value) => value),
  integer: (schema) => ofType('number', 'a whole number', inRange(schema, true)),
  number: (schema) => ofType('number', 'a number', inRange(schema, false)),
  array: (schema) => listOf(schema),
  object: (schema) => (schema.properties ? fieldsOf(schema) : membersOf(schema)),
}

function ofType(type: string, words: string, check: Check): Check {
  return (value, path, faults) => {
    if (typeof value === type) return check(value, path, faults)
    faults.push(fault(path, 'invalid_type', `must be ${words}`))
    return undefined
  }
}

/** Alternatives are told apart by their JSON type: null, or the first that takes such a value. */
function oneOf(schemas: Schema[]): Check {
  const nullable = schemas.some(({ type }) => type === 'null')
  const others = schemas.filter(({ type }) => type !== 'null')
  const checks = others.map((schema) => ({ type: schema.type, check: checkOf(schema) }))
  return (value, path, faults) => {
    if (value === null && nullable) return null
    const kind = Array.isArray(value) ? 'array' : typeof value
    const fitting = checks.find(
      ({ type }) => type === kind || (type === 'integer' && kind === 'number'),
    )
    const only = checks.length === 1 ? checks[0] : undefined
    const chosen = fitting ?? only
    if (chosen) return chosen.check(value, path, faults)
    const [code, why] =
      value === null
        ? (['not_nullable', 'cannot be null'] as const)
        : ([
            'invalid_type',
            `must be one of: ${others.map(({ type }) => type).join(', ')}`,
          ] as const)
    faults.push(fault(path, code, why))
    return undefined
  }
}

function inRange({ minimum = -Infinity, maximum = Infinity }: Schema, whole: boolean): Check {
  return (value, path, faults) => {
    const number = Number(value)
    if (number < minimum) faults.push(fault(path, 'too_small', `must be at least ${minimum}`))
    else if (number > maximum) faults.push(fault(path, 'too_large', `must be at most ${maximum}`))
    else if (whole && !Number.isInteger(number)) {
      faults.push(fault(path, 'invalid_type', 'must be a whole number'))
    }
    // -0 would come back as 0 from one engine and as -0 from the other.
    return number + 0
  }
}

function listOf(schema: Schema): Check {
  const check = schema.items ? checkOf(schema.items) : undefined
  const { minItems = 0, maxItems = Infinity, uniqueItems } = schema
  return (value, path, faults) => {
    if (!Array.isArray(value)) {
      faults.push(fault(path, 'invalid_type', 'must be an array'))
      return undefined
    }
    if (value.length < minItems) {
      faults.push(fault(path, 'too_few', `must hold at least ${minItems}`))
    }
    if (value.length > maxItems) {
      faults.push(fault(path, 'too_many', `must hold at most ${maxItems}`))
      return undefined
    }
    const seen = new Set<unknown>()
    return value.map((item, at) => {
      const read = check ? check(item, `${path}[${at}]`, faults) : item
      if (uniqueItems && seen.has(item)) {
        faults.push(fault(`${path}[${at}]`, 'duplicate', 'is in the list already'))
      }
      seen.add(item)
      return read
    })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const at = (path: string, name: string) => (path ? `${path}.${name}` : name)

function fieldsOf({ properties = {}, required = [], ...schema }: Schema): Check {
  const checks = new Map(Object.entries(properties).map(([name, of]) => [name, checkOf(of)]))
  const readOnly = new Set(schema['x-read-only'])
  const taken = [...checks.keys()].join(', ')
  const apart = schema['x-apart'] ?? []
  return (value, path, faults) => {
    if (!isObject(value)) {
      faults.push(fault(path, 'invalid_type', 'must be an object'))
      return undefined
    }
    const read: Record<string, unknown> = {}
    for (const name of required) {
      if (!Object.hasOwn(value, name)) faults.push(fault(at(path, name), 'required', 'is required'))
    }
    for (const [one, other] of apart) {
      if (Object.hasOwn(value, one) && Object.hasOwn(value, other)) {
        faults.push(fault(at(path, other), 'conflicting_fields', `cannot stand beside ${one}`))
      }
    }
    for (const [name, one] of Object.entries(value)) {
      if (faults.length >= MOST_FAULTS) break
      const check = checks.get(name)
      if (check) read[name] = check(one, at(path, name), faults)
      else if (readOnly.has(name)) {
        faults.push(fault(at(path, name), 'read_only_field', 'cannot be written here'))
      } else {
        const why = taken ? `is not known here; known are: ${taken}` : 'is not known here'
        faults.push(fault(at(path, name.slice(0, 80)), 'unknown_field', why))
      }
    }
    for (const one of schema['x-together']?.(value) ?? []) {
      faults.push({ ...one, field: at(path, one.field) })
    }
    return read
  }
}

/** An object of free keys (`metadata`): null marks a member to remove and does not count. */
function membersOf(schema: Schema): Check {
  const { propertyNames, additionalProperties, maxProperties = Infinity } = schema
  const pattern = new RegExp(propertyNames?.pattern ?? '')
  const check = isObject(additionalProperties) ? checkOf(additionalProperties) : undefined
  return (value, path, faults) => {
    if (!isObject(value)) {
      faults.push(fault(path, 'invalid_type', 'must be an object'))
      return undefined
    }
    const entries = Object.entries(value)
    if (entries.filter(([, one]) => one !== null).length > maxProperties) {
      faults.push(fault(path, 'too_many', `must have at most ${maxProperties} members`))
      return undefined
    }
    const read = entries.map(([name, one]) => {
      if (faults.length < MOST_FAULTS && !pattern.test(name)) {
        const why = `must have a name of the form ${pattern.source}`
        faults.push(fault(at(path, name.slice(0, 80)), 'invalid_format', why))
      }
      return [name, one === null || !check ? one : check(one, at(path, name), faults)]
    })
    return Object.fromEntries(read)
  }
}
