import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import type { OpenApiSchema } from './document-types.ts'

/** Control characters and line separators, as the inside of a character class. */
const LINE_BREAKING = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
/** Control characters but TAB, LF and CR. */
const CONTROL = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** Any characters but the forbidden ones; if the text must not be blank, one that is no space. */
const textPattern = (forbidden: string, { minLength = 0 }: OpenApiSchema) =>
  minLength > 0 ? `^[^${forbidden}]*[^\\s${forbidden}][^${forbidden}]*$` : `^[^${forbidden}]*$`

/** The patterns of free text, which the pages describe in words instead. */
export const isTextPattern = (pattern: string) =>
  pattern.includes(`[^${LINE_BREAKING}`) || pattern.includes(`[^${CONTROL}`)

/** Free text has a pattern in requests alone: nobody needs to validate what Docket returns. */
const freeText = (forbidden: string) => (schema: OpenApiSchema, use: SchemaUse) =>
  use === 'reply' || schema.pattern !== undefined ? {} : { pattern: textPattern(forbidden, schema) }

/**
 * The formats of the input validation (docs/spec/api.md#strings-numbers-times) as keywords of JSON
 * Schema. The empty format is a line that is not trimmed.
 */
const TEXT_FORMATS: Readonly<
  Record<string, (schema: OpenApiSchema, use: SchemaUse) => OpenApiSchema>
> = {
  '': freeText(LINE_BREAKING),
  line: freeText(LINE_BREAKING),
  filename: freeText(`${LINE_BREAKING}/\\\\`),
  text: freeText(CONTROL),
  raw: () => ({}),
  color: (_, use) => ({ pattern: use === 'reply' ? '^#[0-9a-f]{6}$' : '^#[0-9A-Fa-f]{6}$' }),
  // Without `format: uri`: generators that have a type for it cannot check its length.
  iri: () => ({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
  rrule: () => ({}),
  timezone: () => ({}),
  locale: () => ({}),
}

/** Where a schema stands. Replies stay open for new fields and values, requests are closed. */
type SchemaUse = 'request' | 'reply'

/**
 * Converts the schemas of endpoints and collects the named ones, which others reference. Only the default of a
 * parameter stays: for openapi-typescript a field with a default is a required one, and other clients would
 * send it with an update and overwrite data. The description of the field names it.
 */
export interface SchemaConverter {
  readonly components: Record<string, OpenApiSchema>
  convert(schema: TSchema, use: SchemaUse): OpenApiSchema
}

type Keywords = Readonly<Record<string, unknown>>

/**
 * Creates a converter from the schemas that validate input to those of the document. A schema with
 * a `title` becomes the component of that name. Throws if two different schemas have one name.
 */
export function createSchemaConverter(): SchemaConverter {
  const components: Record<string, OpenApiSchema> = {}

  function convert(schema: Keywords, use: SchemaUse): OpenApiSchema {
    const { title, 'x-documented': documented, ...keywords } = schema
    if (isSchema(documented)) return convert(documented, use)
    if (typeof title !== 'string') return convertKeywords(keywords, use)
    const isOpenEnum = use === 'reply' && keywords['x-open'] === true
    if (isOpenEnum) return { ...convertKeywords(keywords, use), ...annotationsOf(schema) }
    const { default: _, ...own } = keywords
    const component = convertKeywords(own, use)
    if (!isDeepStrictEqual(components[title] ?? component, component)) {
      throw new Error(`Two different schemas have the name ${title}`)
    }
    components[title] = component
    return { $ref: `#/components/schemas/${title}`, ...annotationsOf(schema) }
  }

  function convertKeywords(schema: Keywords, use: SchemaUse): OpenApiSchema {
    const { properties, items, propertyNames, anyOf, oneOf, patternProperties, ...keywords } =
      schema
    const { additionalProperties, ...others } = keywords
    const converted = {
      ...Object.fromEntries(Object.entries(others).filter(([name]) => isKeyword(name))),
      ...(isSchema(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, convertAny(one, use)]),
        ),
      }),
      ...(isSchema(items) && { items: convertAny(items, use) }),
      ...(isSchema(propertyNames) && { propertyNames: convertAny(propertyNames, use) }),
      ...(Array.isArray(oneOf) && { oneOf: oneOf.map((one) => convertAny(one, use)) }),
      ...convertAdditional(valuesOf(patternProperties) ?? additionalProperties, use),
    }
    if (Array.isArray(anyOf)) {
      const choices = anyOf.map((one) => convertAny(one, use))
      const property = schema['x-discriminator']
      return typeof property === 'string'
        ? convertDiscriminated(converted, choices, anyOf, property)
        : convertUnion(converted, choices)
    }
    return convertScalar(converted, schema, use)
  }

  /** Converts a schema inside of another one. */
  function convertAny(schema: unknown, use: SchemaUse): OpenApiSchema {
    if (!isSchema(schema)) return {}
    const { default: _, ...withoutDefault } = schema
    return convert(withoutDefault, use)
  }

  function convertAdditional(value: unknown, use: SchemaUse) {
    if (isSchema(value)) {
      const values = convertAny(value, use)
      return { additionalProperties: Object.keys(values).length === 0 || values }
    }
    if (value === undefined || (value === false && use === 'reply')) return {}
    return { additionalProperties: value === true }
  }

  return { components, convert: (schema, use) => convert({ ...schema }, use) }
}

const isSchema = (value: unknown): value is Keywords => typeof value === 'object' && value !== null

/** The schema of all values of a map, which TypeBox writes as a pattern that matches every key. */
const valuesOf = (patternProperties: unknown): unknown =>
  isSchema(patternProperties) ? Object.values(patternProperties)[0] : undefined

/** Keywords of the input validation are not part of the document. */
const isKeyword = (name: string) => !name.startsWith('x-') && !name.startsWith('~')

/** What a field says beside the named schema that it references. */
function annotationsOf({ 'x-field': description, ...schema }: Keywords) {
  return {
    ...(typeof description === 'string' && { description }),
    ...(schema.default !== undefined && { default: schema.default }),
  }
}

/** Named objects of which each has its own value of one property. */
function convertDiscriminated(
  own: OpenApiSchema,
  choices: OpenApiSchema[],
  sources: unknown[],
  propertyName: string,
): OpenApiSchema {
  const values = sources.map((source) => {
    const { properties } = source as { properties?: Record<string, { enum?: string[] }> }
    return properties?.[propertyName]?.enum?.[0] ?? ''
  })
  const mapping = Object.fromEntries(choices.map(({ $ref = '' }, i) => [values[i] ?? '', $ref]))
  return { ...own, oneOf: choices, discriminator: { propertyName, mapping } }
}

/** A nullable type becomes a list of types, which all generators read. */
function convertUnion(own: OpenApiSchema, choices: OpenApiSchema[]): OpenApiSchema {
  const others = choices.filter(({ type }) => type !== 'null')
  const [only] = others
  if (others.length === choices.length || others.length > 1 || typeof only?.type !== 'string') {
    return { anyOf: choices, ...own }
  }
  const nullableEnum = only.enum && { enum: [...only.enum, null] }
  return { ...only, type: [only.type, 'null'], ...nullableEnum, ...own }
}

/** The largest and smallest integer of 32 bits. */
const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** Adds what generators need to choose a type, and replaces formats that only Docket knows. */
function convertScalar(converted: OpenApiSchema, source: Keywords, use: SchemaUse): OpenApiSchema {
  const { type, minimum = -Infinity, maximum = Infinity } = converted
  if (type === 'number') return { ...converted, format: 'double' }
  if (type === 'integer') {
    const fits = minimum >= INT32.min && maximum <= INT32.max
    return { ...converted, format: fits ? 'int32' : 'int64' }
  }
  if (type !== 'string') return converted
  if (converted.enum) {
    if (use !== 'reply' || source['x-open'] !== true) return converted
    const { enum: values, ...open } = converted
    return { ...open, examples: values }
  }
  const { format, ...plain } = converted
  const convertText = TEXT_FORMATS[format ?? '']
  return convertText ? { ...plain, ...convertText(plain, use) } : converted
}
