import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiSchema,
} from '#http/api-reference/openapi/operations.ts'

/** A field that no version of the API has. */
const LATER_FIELD = 'added_in_a_later_version'
const LATER_VALUE = { note: 'A client ignores it.', numbers: [1, 2.5], nothing: null }
/** A member of an open set that no version of the API has. */
const LATER_MEMBER = 'later_member'
/** Fields that name the type of an event, of which no record changes its own. */
const EVENT_TYPE_FIELDS = ['type', 'event_type']

/**
 * Adds to a reply what a later version of the API may add (docs/guides/versioning.md): a field to
 * every record, an unknown member to each open set, and to lists of events and deliveries one of an
 * unknown type.
 */
export function growReply(
  document: OpenApiDocument,
  operation: OpenApiOperation,
  status: number,
  body: Buffer,
): Buffer {
  const response = operation.responses[status] ?? operation.responses.default
  const schema = response?.content?.['application/json']?.schema
  if (!schema) return body
  return Buffer.from(JSON.stringify(growValue(document, schema, JSON.parse(String(body)))))
}

function growValue(document: OpenApiDocument, schema: OpenApiSchema, value: unknown): unknown {
  const parts = flatten(document, schema)
  if (typeof value === 'string') return parts.some(isOpenSet) ? LATER_MEMBER : value
  if (Array.isArray(value)) {
    const items = parts.find((part) => part.items)?.items
    return items ? growList(document, items, value) : value
  }
  if (typeof value !== 'object' || value === null) return value
  const properties = propertiesOf(parts)
  // An object without properties is a map, whose members are data.
  if (Object.keys(properties).length === 0) return value
  const members = Object.entries(value).map(([name, member]) => {
    const known = properties[name]
    const isKept = EVENT_TYPE_FIELDS.includes(name) || !known
    return [name, isKept ? member : growValue(document, known, member)]
  })
  return { ...Object.fromEntries(members), [LATER_FIELD]: LATER_VALUE }
}

function growList(document: OpenApiDocument, items: OpenApiSchema, list: readonly unknown[]) {
  const parts = flatten(document, items)
  if (parts.some(isOpenSet)) return [...list, LATER_MEMBER]
  const grown = list.map((item) => growValue(document, items, item))
  const properties = propertiesOf(parts)
  const typeField = EVENT_TYPE_FIELDS.find(
    (name) => properties[name] && isOpenSet(properties[name]),
  )
  const [first] = grown
  if (!typeField || typeof first !== 'object') return grown
  return [...grown, { ...first, [typeField]: LATER_MEMBER }]
}

const propertiesOf = (parts: readonly OpenApiSchema[]): Record<string, OpenApiSchema> =>
  Object.assign({}, ...parts.map((part) => part.properties))

/** The document names present members of an open set as examples, because an enum would be closed. */
const isOpenSet = ({ type, enum: closed, pattern, examples = [] }: OpenApiSchema): boolean =>
  [type].flat().includes('string') && !closed && !pattern && examples.length > 1

/** The schema itself and all that it refers to or is composed of; of a union the fitting variant. */
function flatten(document: OpenApiDocument, schema: OpenApiSchema): readonly OpenApiSchema[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema
  const target = $ref ? [resolve(document, $ref)] : []
  return [
    schema,
    ...[...target, ...allOf, ...anyOf, ...oneOf].flatMap((part) => flatten(document, part)),
  ]
}

function resolve(document: OpenApiDocument, reference: string): OpenApiSchema {
  const name = reference.slice('#/components/schemas/'.length)
  const schema = document.components?.schemas?.[name]
  if (!schema) throw new Error(`The document has no ${reference}`)
  return schema
}
