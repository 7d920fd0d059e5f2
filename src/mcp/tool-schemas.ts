import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server'
import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { type SchemaOptions, SingleLineText, UniqueList } from '#wire/schema-builders.ts'
import type { InputSchema } from '#wire/schema-parser.ts'
import { MAX_RECORD_NAME_LENGTH, NAMED_FIELDS } from './record-names.ts'

/**
 * Some fields of an endpoint, as a tool takes them: where the endpoint wants an id, a name does, too. The
 * endpoint itself validates all values, so that its rules are not written down twice.
 */
export function pickToolFields<
  P extends TProperties,
  const N extends readonly (keyof P & string)[],
>(properties: P, names: N): Pick<P, N[number]> {
  const picked = names.map((name) => [name, withNames(name, properties[name])])
  return Object.fromEntries(picked)
}

function withNames(name: string, schema: TSchema | undefined): TSchema | undefined {
  if (!(name in NAMED_FIELDS) || schema === undefined) return schema
  const { description }: SchemaOptions = schema
  const rules = { description: [description, 'By name or id.'].filter(Boolean).join(' ') }
  const text = SingleLineText(1, MAX_RECORD_NAME_LENGTH, rules)
  const named =
    'items' in schema ? UniqueList(SingleLineText(1, MAX_RECORD_NAME_LENGTH), 50, rules) : text
  return Type.IsOptional(schema) ? Type.Optional(named) : named
}

/**
 * The input of a tool as the SDK lists it. It passes everything on: the tool parses its input itself, because
 * `preview` calls tools, too.
 */
export const toInputSchema = (schema: TObject) =>
  fromJsonSchema<unknown>(toJsonSchema(schema) as JsonSchemaType, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  })

/** Keywords that tell a model what to send. Patterns and lengths it learns from an error, if ever. */
const KEYWORDS = ['type', 'enum', 'description', 'minItems', 'required'] as const

/** A schema without what only the parser needs, and without names: models read each schema in its place. */
export function toJsonSchema(schema: InputSchema & { description?: string }): object {
  const { anyOf = [], properties, items, additionalProperties, format } = schema
  const field = 'x-field' in schema ? { description: schema['x-field'] } : {}
  return {
    ...Object.fromEntries(KEYWORDS.flatMap((key) => (schema[key] ? [[key, schema[key]]] : []))),
    ...field,
    ...(format?.startsWith('date') && { format }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, toJsonSchema(one)]),
      ),
    }),
    ...(items && { items: toJsonSchema(items) }),
    ...(properties && additionalProperties === false && { additionalProperties }),
    ...(anyOf.length > 0 && { anyOf: anyOf.map(toJsonSchema) }),
  }
}
