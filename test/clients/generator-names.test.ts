import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument } from '#http/openapi/document-types.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes } from '#server/routes.ts'

/** What generators of clients have stumbled over; test/release/generated-client tries one of them. */
const document: OpenApiDocument & { components?: Record<string, object> } = JSON.parse(
  JSON.stringify(createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')),
)
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const schemas = Object.keys(document.components?.schemas ?? {})

test('no schema has the name of a parameter, a header or a reply of the components', () => {
  const { schemas: _, securitySchemes: __, ...others } = document.components ?? {}
  const names = Object.values(others).flatMap((group) => Object.keys(group))
  assert.deepEqual(
    names.filter((name) => schemas.includes(name)),
    [],
  )
})

test('no schema has the name of a type that languages have themselves', () => {
  const taken = ['Error', 'Object', 'Type', 'Map', 'Set', 'List', 'Date', 'Any', 'None']
  assert.deepEqual(
    schemas.filter((name) => taken.includes(name)),
    [],
  )
})

test('no operation of an event shares its tag with an operation of the server', () => {
  const served = new Set(operations.flatMap(({ tags }) => tags))
  for (const { post } of Object.values(document.webhooks ?? {})) {
    for (const tag of post?.tags ?? []) assert.ok(!served.has(tag), tag)
  }
})

test('no field has a default, which openapi-typescript would require: its description tells it', () => {
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || /\/(examples?|enum)$/.test(path)) return
    assert.ok(/\/properties$/.test(path) || !('default' in value), path)
    for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`)
  }
  visit(document.components?.schemas, '')
  const fields = publicRoutes.flatMap(({ endpoint: { body } }) => fieldsOf(body, ''))
  const withDefault = fields.filter(([, field]) => 'default' in field && field.default !== null)
  assert.ok(withDefault.length >= 10, String(withDefault.length))
  for (const [path, { default: value, ...field }] of withDefault) {
    const text = String('x-field' in field ? field['x-field'] : field.description)
    const [, told = ''] = /\bDefault: `?([^`. ]+(?:,\d+)?)/.exec(text) ?? []
    assert.equal(told.replaceAll(',', ''), String(value), path)
  }
})

type BodySchema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is BodySchema =>
  typeof value === 'object' && value !== null

/** The fields of a body at every depth, by their path. */
function fieldsOf(schema: unknown, path: string): [path: string, field: BodySchema][] {
  if (!isSchema(schema)) return []
  const own = isSchema(schema.properties) ? Object.entries(schema.properties) : []
  const inner = [schema.items, ...['anyOf', 'oneOf'].map((name) => schema[name])].flat()
  return [
    ...own.flatMap(([name, field]) =>
      isSchema(field) ? [[`${path}/${name}`, field] as const] : [],
    ),
    ...own.flatMap(([name, field]) => fieldsOf(field, `${path}/${name}`)),
    ...inner.flatMap((one) => fieldsOf(one, path)),
  ].map(([name, field]): [string, BodySchema] => [name, field])
}

test('every number has a format, and no value has null as its only type', () => {
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (/\/(examples?|default|enum)$/.test(path)) return
    const types = 'type' in value ? [value.type].flat() : []
    if (types.includes('integer') || types.includes('number')) {
      assert.ok('format' in value, `${path} has no format`)
    }
    const isVariant = /\/(anyOf|oneOf)\/\d+$/.test(path)
    assert.ok(isVariant || types.join() !== 'null', `${path} is always null`)
    for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`)
  }
  visit(document.components?.schemas, '')
})
