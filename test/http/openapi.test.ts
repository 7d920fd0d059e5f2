import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { Value } from 'typebox/value'
import { EXAMPLES_FOLDER, eventExampleOf, exampleOf } from '#http/openapi/recorded-examples.ts'
import { EventEnvelope } from '#resources/events/contract.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes, publicRoutes as routes } from '#server/routes.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import { REPLY_ERROR_CODES } from '#wire/error-code.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import {
  EVENT_GUIDE,
  replaceEventSamples,
  toExampleFiles,
} from '../support/examples/example-files.ts'
import { recordExamples } from '../support/examples/record-examples.ts'

interface DocumentedSchema {
  $ref?: string
  default?: unknown
  properties?: Record<string, DocumentedSchema>
  oneOf?: DocumentedSchema[]
}

interface Media {
  schema: DocumentedSchema
  example?: unknown
}

interface DocumentedParameter {
  $ref?: string
  name: string
  description?: string
}

interface DocumentedOperation {
  operationId: string
  summary?: string
  parameters?: DocumentedParameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; description: string; content?: Record<string, Media> }>
}

interface Document {
  info: { version: string }
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, Record<string, DocumentedOperation>>
  tags: DocumentedParameter[]
  components: {
    schemas: Record<string, DocumentedSchema>
    parameters: Record<string, DocumentedParameter>
    responses: Record<string, { description: string }>
  }
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
const withComponents = (schema: DocumentedSchema) => ({
  ...schema,
  components: document.components,
})

function assertFits(schema: DocumentedSchema, value: unknown, where: string) {
  const [, errors] = Errors(withComponents(schema), value)
  assert.deepEqual(errors, [], where)
}

const resolve = ({ $ref = '', ...schema }: DocumentedSchema): DocumentedSchema =>
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

test('the OpenAPI document needs no credential and is valid', async () => {
  const reply = await fetchDocument()
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['x-ratelimit-limit'], undefined)
  const result = await new Validator().validate(reply.json())
  assert.deepEqual(result, { valid: true })
})

test('the OpenAPI document has every served route with its scope and schemas', async () => {
  const { paths, components } = (await fetchDocument()).json()
  for (const { endpoint } of routes) {
    const { method, scope, body, reply, query } = endpoint
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const operation = paths[path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${path}`)
    assert.equal(operation['x-scope'] ?? 'any', scope)
    const fields = Object.keys((body as { properties?: object } | undefined)?.properties ?? {})
    assert.equal(Boolean(operation.requestBody), fields.length > 0, `${method} ${path}`)
    const success = operation.responses[endpoint.status ?? (reply ? 200 : 204)]
    assert.equal(Boolean(success?.content), Boolean(reply))
    const names = operation.parameters.map(
      ({ name, $ref = '' }: { name?: string; $ref?: string }) =>
        name ?? components.parameters[$ref.replace('#/components/parameters/', '')].name,
    )
    const parameters = Object.keys((query as { properties?: object } | undefined)?.properties ?? {})
    for (const name of parameters) assert.ok(names.includes(name), `${name} of ${method} ${path}`)
  }
  for (const record of ['Task', 'Project', 'Comment', 'TimeEntry', 'Tag', 'Member', 'Webhook']) {
    assert.ok(components.schemas[record], record)
  }
})

/** The paths of all schemas, fields, parameters and replies below a value that have no description. */
function findUndescribed(value: unknown, path: string, isNamed = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = isNamed && !('description' in value) && !('$ref' in value) ? [path] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, member]) => {
      if (name === 'example' || name === 'examples') return []
      const isMap = ['properties', 'schemas', 'headers', 'responses'].includes(name)
      if (!isMap) return findUndescribed(member, `${path}.${name}`)
      return Object.entries(Object(member)).flatMap(([of, described]) =>
        findUndescribed(described, `${path}.${of}`, true),
      )
    }),
  ]
}

test('every schema, field, header, reply, parameter and tag has a description', () => {
  const { components, paths, webhooks, tags } = document
  assert.deepEqual(findUndescribed({ components, paths, webhooks }, ''), [])
  for (const { name, description } of [...tags, ...Object.values(components.parameters)])
    assert.match(description ?? '', /\w/, name)
  for (const { operation } of operations) {
    assert.ok(operation.summary, operation.operationId)
    for (const { $ref, name, description } of operation.parameters ?? [])
      assert.ok($ref ?? description, `${operation.operationId} ${name}`)
  }
})

test('the error replies explain every code that a reply can have', () => {
  const text = Object.values(document.components.responses)
    .map(({ description }) => description)
    .join('\n')
  const unexplained = REPLY_ERROR_CODES.filter((code) => !text.includes(`\n- \`${code}\`: `))
  assert.deepEqual(unexplained, [])
})

const REFRESH_HINT = 'run: npx node tools/record-examples.ts'
const MAX_LISTED = 2

/** The types of event whose `changes` are not empty. */
const UPDATES = EVENT_KINDS.filter(
  (kind) => kind.endsWith('.updated') || kind === 'task.completed' || kind === 'task.assigned',
)

test('a server gives the replies and sends the events that the examples show', async () => {
  const recording = await recordExamples()
  const guide = readFileSync(EVENT_GUIDE, 'utf8')
  assert.equal(guide, replaceEventSamples(guide, recording), `${EVENT_GUIDE}; ${REFRESH_HINT}`)
  const files = toExampleFiles(recording)
  const names = globSync('**/*.json', { cwd: EXAMPLES_FOLDER })
  assert.deepEqual(names.toSorted(), [...files.keys()].toSorted(), REFRESH_HINT)
  for (const [name, value] of files) {
    const committed: unknown = JSON.parse(readFileSync(join(EXAMPLES_FOLDER, name), 'utf8'))
    assert.deepEqual(committed, value, `${name} is out of date; ${REFRESH_HINT}`)
  }
})

test('every endpoint of the public API has an example that fits its schemas', () => {
  for (const { endpoint } of publicRoutes) {
    const name = `${endpoint.method} ${endpoint.path}`
    const { request, response } = exampleOf(endpoint.method, endpoint.path) ?? {}
    assert.ok(request && response, `${name} has no example: call it in test/support/examples`)
    assert.equal(response.status, successStatusOf(endpoint), name)
    assertValueFits(endpoint.params, request.path, `path of ${name}`)
    assertValueFits(endpoint.query, request.query, `query of ${name}`)
    assertBodyFits(endpoint, request.body, `request body of ${name}`)
    if (endpoint.download) assert.equal(typeof response.body, 'string', name)
    else assertValueFits(endpoint.reply, response.body, `reply of ${name}`)
    assert.ok(countListed(response.body) <= MAX_LISTED, `${name} lists too many records`)
  }
})

test('every type of event has an example that fits its schema', () => {
  for (const type of EVENT_KINDS) {
    const event = eventExampleOf(type)
    assertValueFits(EventEnvelope, event, type)
    const { data, changes } = Value.Parse(EventEnvelope, event)
    assertValueFits(EVENT_SCHEMAS.kinds[type][0], data, `data of ${type}`)
    assert.equal(Object.keys(changes).length > 0, UPDATES.includes(type), type)
  }
  assert.partialDeepStrictEqual(eventExampleOf('webhook.test'), { sequence: null, data: {} })
})

function assertValueFits(schema: TSchema | undefined, value: unknown, what: string): void {
  if (schema) assert.deepEqual(Value.Errors(schema, value), [], what)
  else assert.deepEqual(value ?? {}, {}, what)
}

/** A file is sent as text; a body that is optional may be absent. */
function assertBodyFits({ upload, bodyOptional, body }: Endpoint, value: unknown, what: string) {
  if (upload) assert.equal(typeof value, 'string', what)
  else if (!bodyOptional || value !== undefined) assertValueFits(body, value, what)
}

const countListed = (body: unknown): number =>
  typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)
    ? body.data.length
    : 0
