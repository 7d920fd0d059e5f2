import type { OpenApiDocument, OpenApiSchema } from './openapi-types.ts'
import type { ReferenceContext } from './reference-context.ts'

/** A field of an object. `name` is a path such as `recurrence.rrule` or `statuses[].key`. */
export interface SchemaField {
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
export function requiredOf(openapi: OpenApiDocument, schema: OpenApiSchema): string[] {
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
