import type { OpenApiDocument, OpenApiSchema } from '../../openapi/document-types.ts'
import { isTextPattern } from '../../openapi/schema-converter.ts'
import type { ReferenceContext } from './records.ts'

// The words are Markdown: code in backticks, and links to the sections of the reference.

/** Words, the prefix of an id, and the beginning of a short id. */
const ID_PATTERN = /^\^\(?((?:[a-z]+\|)*)([a-z]{3})_\[[^|]+(\|\[A-Z)?/

/** Describes the texts that a schema allows, in words: "`me` or `usr_` id", "date", "color". */
export function describeText({ pattern = '', format = '', examples = [] }: OpenApiSchema): string {
  const [, words = '', prefix, short] = ID_PATTERN.exec(pattern) ?? []
  if (prefix !== undefined) {
    const choices = words.split('|').filter((word) => word !== '')
    const id = `\`${prefix}_\` id${short === undefined ? '' : ' or short id'}`
    return [...choices.map((word) => `\`${word}\``), id].join(' or ')
  }
  if (isTextPattern(pattern)) {
    return pattern.includes('\\u2028') ? `string of one line` : `string`
  }
  const name = PATTERN_NAMES[pattern] ?? FORMAT_NAMES[format]
  if (name !== undefined) return name
  // An enum that may grow: its present values are examples.
  return examples.length > 1 ? `string, such as ${joinCode(examples)}` : `string`
}

const joinCode = (values: readonly unknown[]): string =>
  values
    .map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``)
    .join(', ')

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  date: `date`,
  'date-time': `timestamp`,
  uri: `URL`,
  binary: `bytes`,
}

const COLOR = `color such as \`#2563eb\``

/** A reader is not expected to read regular expressions. */
const PATTERN_NAMES: Readonly<Record<string, string>> = {
  '^[!-~]+$': `string of visible ASCII characters`,
  '^[a-z][a-z0-9_]{0,39}$': `string of up to 40 lower-case letters, digits and \`_\`, beginning with a letter`,
  '^[A-Za-z0-9_.:-]{1,40}$': `string of up to 40 letters, digits, \`_\`, \`.\`, \`:\` and \`-\``,
  '^[a-z0-9][a-z0-9._-]*$': `string of lower-case letters, digits, \`.\`, \`_\` and \`-\`, beginning with a letter or digit`,
  '^[A-Z][A-Z0-9]{1,9}$': `2 to 10 capitals and digits, such as \`ENG\``,
  '^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$': `short id, such as \`ENG-42\``,
  '^[0-9a-f]{64}$': `SHA-256 in hexadecimal`,
  '^#[0-9a-f]{6}$': COLOR,
  '^#[0-9A-Fa-f]{6}$': COLOR,
  '^[Hh][Tt][Tt][Pp][Ss]?://': `\`http\` or \`https\` URL`,
}

/** A field of an object. `name` is a path such as `recurrence.rrule` or `statuses[].key`. */
interface SchemaField {
  readonly name: string
  readonly required: boolean
  readonly schema: OpenApiSchema
}

/** Follows a `$ref` into the components of the document; returns any other schema as it is. */
export function resolveRef(openapi: OpenApiDocument, schema: OpenApiSchema): OpenApiSchema {
  const name = refName(schema)
  return (name && openapi.components?.schemas?.[name]) || schema
}

/**
 * Follows a reference to a schema that is described where it is used, such as an enum or an object
 * without a section of its own. What the field says of itself comes first.
 */
export function resolveInline(context: ReferenceContext, schema: OpenApiSchema): OpenApiSchema {
  const name = refName(schema)
  if (name === undefined || context.isRecord(name) || context.findBodyOperation(name)) return schema
  const { $ref: _, ...own } = schema
  const resolved = resolveRef(context.openapi, schema)
  return resolved === schema ? schema : { ...resolved, ...own }
}

/** The name of the component that a schema references. */
export function refName(schema: OpenApiSchema): string | undefined {
  return schema.$ref?.replace('#/components/schemas/', '')
}

/** Removes null from a schema and returns whether it was allowed. */
export function withoutNull(schema: OpenApiSchema): { schema: OpenApiSchema; nullable: boolean } {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices?.some(isNull)) {
    const rest = choices.filter((choice) => !isNull(choice))
    const { anyOf: _, oneOf: __, ...own } = schema
    const [only] = rest
    return {
      schema: rest.length === 1 ? { ...only, ...own } : { ...own, anyOf: rest },
      nullable: true,
    }
  }
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const types = schema.type.filter((type) => type !== 'null')
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, nullable: true }
  }
  return { schema, nullable: false }
}

/**
 * The fields of an object and of the objects in it that have no section of their own, outermost
 * first. Of objects of several kinds, those of each kind: `operations[op=update].id`.
 */
export function listSchemaFields(
  context: ReferenceContext,
  schema: OpenApiSchema,
  path = '',
): SchemaField[] {
  const { openapi } = context
  return Object.entries(propertiesOf(openapi, schema)).flatMap(([name, property]) => {
    const field = { name: path + name, required: requiredOf(openapi, schema).includes(name) }
    return [
      { ...field, schema: property },
      ...findInlineObjects(context, property).flatMap((inner) =>
        listSchemaFields(context, inner.schema, `${field.name}${inner.suffix}.`).filter(
          (one) => one.name !== `${field.name}${inner.suffix}.${inner.discriminator}`,
        ),
      ),
    ]
  })
}

/** The properties of an object, including those of its `allOf`, `anyOf` and `oneOf` schemas. */
export function propertiesOf(
  openapi: OpenApiDocument,
  schema: OpenApiSchema,
): Record<string, OpenApiSchema> {
  const { properties, allOf, anyOf, oneOf } = resolveRef(openapi, schema)
  const parts = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])]
  return Object.assign({}, ...parts.map((part) => propertiesOf(openapi, part)), properties)
}

/** The required properties of an object, without those that only some alternatives require. */
function requiredOf(openapi: OpenApiDocument, schema: OpenApiSchema): string[] {
  const { required = [], allOf = [] } = resolveRef(openapi, schema)
  return [...required, ...allOf.flatMap((part) => requiredOf(openapi, part))]
}

/** An object that is described within another one. */
interface InlineObject {
  readonly schema: OpenApiSchema
  readonly suffix: string
  /** The field whose value the suffix tells. */
  readonly discriminator?: string
}

function findInlineObjects(context: ReferenceContext, property: OpenApiSchema): InlineObject[] {
  const schema = resolveInline(context, withoutNull(property).schema)
  if (schema.properties) return [{ schema, suffix: '' }]
  const items = schema.items && resolveInline(context, withoutNull(schema.items).schema)
  if (items?.properties) return [{ schema: items, suffix: '[]' }]
  if (!items?.discriminator) return []
  const { propertyName, mapping = {} } = items.discriminator
  return Object.entries(mapping).map(([value, $ref]) => ({
    schema: { $ref },
    suffix: `[${propertyName}=${value}]`,
    discriminator: propertyName,
  }))
}

const isNull = (schema: OpenApiSchema) => schema.type === 'null' || schema.const === null

/** Describes the values of a schema: "string, 1 to 500 characters, or null". Records are links. */
export function describeSchema(nullableSchema: OpenApiSchema, context: ReferenceContext): string {
  const { schema: reference, nullable } = withoutNull(nullableSchema)
  const schema = resolveInline(context, reference)
  const parts = [
    describeType(schema, context),
    ...describeLimits(schema),
    nullable && 'or null',
    schema.default !== undefined &&
      schema.default !== null &&
      `default ${joinCode([schema.default])}`,
  ]
  return parts.filter((part) => part !== false && part !== '').join(', ')
}

/** Describes a query parameter, in which commas separate several values. */
export function describeQueryParameter(schema: OpenApiSchema, context: ReferenceContext): string {
  if (schema.type !== 'array' || !schema.items) return describeSchema(schema, context)
  const maxItems = schema.maxItems ? ` at most ${schema.maxItems}` : ''
  return `${describeSchema(schema.items, context)}; several separated by commas,${maxItems || ' without spaces'}`
}

function describeType(schema: OpenApiSchema, context: ReferenceContext): string {
  const name = refName(schema)
  if (name !== undefined) return describeReference(name, context)
  if (schema.const !== undefined) return joinCode([schema.const])
  if (schema.enum) return describeEnum(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (schema.discriminator) {
    const { propertyName, mapping = {} } = schema.discriminator
    return `object whose \`${propertyName}\` is one of ${joinCode(Object.keys(mapping))}`
  }
  if (choices) {
    if (choices.every((choice) => choice.const !== undefined)) {
      return describeEnum(choices.map((choice) => choice.const))
    }
    return choices.map((choice) => describeWithin(choice, context)).join(' or ')
  }
  if (schema.type === 'array') return describeArray(schema, context)
  if (schema.type === 'object') return describeMap(schema, context)
  if (schema.type === 'string') return describeText(schema)
  const types = [schema.type ?? 'any value'].flat()
  return types.join(' or ')
}

/** A record, or the body of an operation. Other named schemas are described where they are used. */
function describeReference(
  name: string,
  { isRecord, findBodyOperation }: ReferenceContext,
): string {
  if (isRecord(name)) return `[${name}](#${recordAnchor(name)})`
  const operation = findBodyOperation(name)
  if (!operation) return `${name}`
  return `body of [${operation.summary}](#${operationAnchor(operation)})`
}

const describeEnum = (values: readonly unknown[]): string =>
  values.length === 1 ? joinCode(values) : `one of ${joinCode(values)}`

/** Objects with any keys, all of whose values have one schema. */
function describeMap(schema: OpenApiSchema, context: ReferenceContext): string {
  const { additionalProperties: values, maxProperties } = schema
  if (typeof values !== 'object' || Object.keys(values).length === 0) return 'object'
  const size = maxProperties === undefined ? '' : ` of at most ${maxProperties} members`
  return `object${size}, each ${describeWithin(values, context)}`
}

/** A value within a list or a choice, with its limits in brackets. */
function describeWithin(nullableSchema: OpenApiSchema, context: ReferenceContext): string {
  const { schema: reference, nullable } = withoutNull(nullableSchema)
  const schema = resolveInline(context, reference)
  const limits = describeLimits(schema).filter((limit) => limit !== '')
  const bounds = limits.length > 0 ? ` (${limits.join(', ')})` : ''
  return `${describeType(schema, context)}${bounds}${nullable ? ' or null' : ''}`
}

function describeArray({ items }: OpenApiSchema, context: ReferenceContext): string {
  if (!items) return 'array'
  const words = describeWithin(items, context)
  if (words.startsWith('one of ')) return `array, each ${words}`
  return `array of ${pluralize(words)}`
}

const pluralize = (words: string): string =>
  words.replace(/ id(?= or |$)/g, ' ids').replace(/^(?:string|object|date|timestamp)\b/, '$&s')

function describeLimits(schema: OpenApiSchema): string[] {
  return [
    formatRange(schema.minLength, schema.maxLength, 'characters'),
    formatRange(schema.minimum, schema.maximum),
    formatRange(schema.minItems, schema.maxItems, 'items'),
    schema.uniqueItems ? 'no repeats' : '',
  ]
}

/** Bounds beyond which JSON numbers are inexact are those of the notation, not of the field. */
const isMeaningful = (bound: number | undefined) =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function formatRange(least: number | undefined, most: number | undefined, unit = ''): string {
  const low = isMeaningful(least) && !(unit && least === 0) ? least : undefined
  const high = isMeaningful(most) ? most : undefined
  const shown = (value: number) => `${value.toLocaleString('en')}${unit && ` ${unit}`}`
  if (low === undefined) return high === undefined ? '' : `at most ${shown(high)}`
  if (high === undefined) return `at least ${low === 1 ? shown(1).replace(/s$/, '') : shown(low)}`
  return low === high ? `exactly ${shown(low)}` : `${low.toLocaleString('en')} to ${shown(high)}`
}

/** The anchor of a record in the reference. */
export const recordAnchor = (name: string) => `record-${name.toLowerCase()}`

/** The anchor of an operation in the reference. */
export const operationAnchor = ({ operationId }: { readonly operationId: string }) =>
  `op-${operationId}`
