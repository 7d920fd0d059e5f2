import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check, Errors } from 'typebox/schema'
import { publicRoutes } from '#server/app.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'

interface Schema {
  $ref?: string
  default?: unknown
  properties?: Record<string, Schema>
  oneOf?: Schema[]
}

interface Media {
  schema: Schema
  example?: unknown
}

interface DocumentedOperation {
  operationId: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; description: string; content?: Record<string, Media> }>
}

interface Document {
  info: { version: string }
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema> }
}

const fetchDocument = async (headers: Record<string, string> = {}) => {
  const { server } = await openTestDocket('sqlite')
  return server.inject({ url: '/api/v1/openapi.json', headers })
}
const document: Document = (await fetchDocument()).json()

const operations = [document.paths, document.webhooks].flatMap((group) =>
  Object.entries(group).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  ),
)

const jsonBody = ({ requestBody }: DocumentedOperation) => requestBody?.content['application/json']

/** References are resolved in the document, of which the schema becomes the root. */
const withComponents = (schema: Schema) => ({ ...schema, components: document.components })

function assertFits(schema: Schema, value: unknown, where: string) {
  const [, errors] = Errors(withComponents(schema), value)
  assert.deepEqual(errors, [], where)
}

const resolve = ({ $ref = '', ...schema }: Schema): Schema =>
  document.components.schemas[$ref.replace('#/components/schemas/', '')] ?? schema

test('a report as CSV is beside its JSON, which generators that read one type find first', () => {
  const report = operations.find(({ operation }) => operation.operationId === 'getTimeReport')
  const { content = {} } = report?.operation.responses[200] ?? {}
  assert.deepEqual(Object.keys(content), ['application/json', 'text/csv'])
  assert.deepEqual(content['text/csv'], { schema: { type: 'string' } })
})

test('each example fits the schema beside it', () => {
  let count = 0
  for (const { operation } of operations) {
    const replies = Object.values(operation.responses).map((reply) => reply.content)
    for (const media of [jsonBody(operation), ...replies.map((one) => one?.['application/json'])]) {
      if (media?.example === undefined) continue
      count += 1
      assertFits(media.schema, media.example, operation.operationId)
    }
  }
  assert.ok(count > publicRoutes.length)
})

test('replies and events stay valid when fields and values of open sets are added', () => {
  for (const { operation } of operations) {
    const { 200: ok, 201: created, 202: accepted } = operation.responses
    const reply = (ok ?? created ?? accepted)?.content?.['application/json']
    for (const media of operation.requestBody && !reply ? [jsonBody(operation)] : [reply]) {
      if (media?.example === undefined) continue
      assertFits(media.schema, withNewMembers(media.example), operation.operationId)
    }
  }
})

/** The fields whose sets of values are open (docs/spec/api.md#versioning-and-deprecation). */
const OPEN_FIELDS = ['source', 'disabled_reason', 'event_type']

function withNewMembers(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewMembers(item))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    OPEN_FIELDS.includes(name) && member !== null
      ? 'new'
      : withNewMembers(member, ['custom_fields', 'metadata', 'changes', 'headers'].includes(name)),
  ])
  return { ...Object.fromEntries(members), ...(!isMap && { new_field: 1 }) }
}

test('request bodies are closed, and an update has no default of its own', () => {
  for (const { path, method, operation } of operations) {
    const media = jsonBody(operation)
    if (!media || !path.startsWith('/')) continue
    const body = { ...(media.example as object), new_field: 1 }
    assert.ok(!Check(withComponents(media.schema), body), operation.operationId)
    const fields = Object.values(resolve(media.schema).properties ?? {})
    if (method !== 'patch') continue
    assert.ok(fields.length > 0)
    for (const field of fields) assert.equal(field.default, undefined, operation.operationId)
  }
  // It may update a task, whose fields a client would reset by sending their defaults.
  const { TaskUpsert } = document.components.schemas
  const fields = Object.values(TaskUpsert?.properties ?? {})
  assert.ok(fields.length > 15)
  for (const field of fields) assert.equal(field.default, undefined)
})

test('every operation has a name of its own, and lists the codes of each status', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted())
  for (const name of names) assert.match(name, /^[a-z]+[A-Z][A-Za-z]+$|^redeliver$/)
  for (const { path, method, operation } of operations) {
    if (!path.startsWith('/')) continue
    const errors = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status))
    const statuses = errors.map(([status]) => status)
    const expected = ['400', '401', '403', '429', '500', '503']
    if (path !== '/api/v1/me')
      assert.deepEqual(
        expected.filter((status) => !statuses.includes(status)),
        [],
        path,
      )
    assert.equal(statuses.includes('404'), path.includes('{') || path.endsWith('/bulk'))
    if (method === 'patch') assert.ok(statuses.includes('412') && statuses.includes('422'))
    for (const [, { description }] of errors) assert.match(description, /Codes?: `/)
  }
})

test('the document has an ETag, and a version that changes with it', async () => {
  const first = await fetchDocument()
  const etag = String(first.headers.etag)
  assert.match(etag, /^"[0-9a-f]{16}"$/)
  const again = await fetchDocument({ 'if-none-match': etag })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  assert.match(document.info.version, /^1\.0\.0\+[0-9a-f]{8}$/)
})
