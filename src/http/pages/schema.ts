import type { OpenApiDocument, Schema } from './document.ts'

/** One row of a table of fields. `name` is a path such as `recurrence.rrule` or `statuses[].key`. */
export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** Follows a reference into the document's components; any other schema is itself. */
export function resolved(openapi: OpenApiDocument, schema: Schema): Schema {
  const name = refName(schema)
  return (name && openapi.components?.schemas?.[name]) || schema
}

/** `Task` for a reference to the component of that name. */
export function refName(schema: Schema): string | undefined {
  return schema.$ref?.replace('#/components/schemas/', '')
}

/** A schema without its null, and whether it allowed one. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
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

/** The fields of an object and of the objects written out within it, outermost first. */
export function fieldsOf(openapi: OpenApiDocument, schema: Schema, path = ''): Field[] {
  return Object.entries(propertiesOf(openapi, schema)).flatMap(([name, property]) => {
    const field = { name: path + name, required: requiredOf(openapi, schema).includes(name) }
    const inner = innerObject(property)
    return [
      { ...field, schema: property },
      ...(inner ? fieldsOf(openapi, inner.schema, `${field.name}${inner.suffix}.`) : []),
    ]
  })
}

/** The properties of an object, with those of every schema that it is put together from. */
export function propertiesOf(openapi: OpenApiDocument, schema: Schema): Record<string, Schema> {
  const { properties, allOf, anyOf, oneOf } = resolved(openapi, schema)
  const parts = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])]
  return Object.assign({}, ...parts.map((part) => propertiesOf(openapi, part)), properties)
}

/** The names that an object must have. What only one choice of several demands is not among them. */
export function requiredOf(openapi: OpenApiDocument, schema: Schema): string[] {
  const { required = [], allOf = [] } = resolved(openapi, schema)
  return [...required, ...allOf.flatMap((part) => requiredOf(openapi, part))]
}

function innerObject(property: Schema): { schema: Schema; suffix: string } | undefined {
  const { schema } = withoutNull(property)
  if (schema.properties) return { schema, suffix: '' }
  const items = schema.items && withoutNull(schema.items).schema
  return items?.properties && { schema: items, suffix: '[]' }
}

const isNull = (schema: Schema) => schema.type === 'null' || schema.const === null
