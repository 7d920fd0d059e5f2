import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { EXAMPLES_FOLDER, eventExampleOf, exampleOf } from '#http/openapi/recorded-examples.ts'
import { EventEnvelope } from '#resources/events/contract.ts'
import { EVENT_SCHEMAS, publicRoutes } from '#server/app.ts'
import {
  EVENT_GUIDE,
  replaceEventSamples,
  toExampleFiles,
} from '#test/support/examples/example-files.ts'
import { recordExamples } from '#test/support/examples/record-examples.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'

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
    assertFits(endpoint.params, request.path, `path of ${name}`)
    assertFits(endpoint.query, request.query, `query of ${name}`)
    assertBodyFits(endpoint, request.body, `request body of ${name}`)
    if (endpoint.download) assert.equal(typeof response.body, 'string', name)
    else assertFits(endpoint.reply, response.body, `reply of ${name}`)
    assert.ok(countListed(response.body) <= MAX_LISTED, `${name} lists too many records`)
  }
})

test('every type of event has an example that fits its schema', () => {
  for (const type of EVENT_KINDS) {
    const event = eventExampleOf(type)
    assertFits(EventEnvelope, event, type)
    const { data, changes } = Value.Parse(EventEnvelope, event)
    assertFits(EVENT_SCHEMAS.kinds[type][0], data, `data of ${type}`)
    assert.equal(Object.keys(changes).length > 0, UPDATES.includes(type), type)
  }
  assert.partialDeepStrictEqual(eventExampleOf('webhook.test'), { sequence: null, data: {} })
})

function assertFits(schema: TSchema | undefined, value: unknown, what: string): void {
  if (schema) assert.deepEqual(Value.Errors(schema, value), [], what)
  else assert.deepEqual(value ?? {}, {}, what)
}

/** A file is sent as text; a body that is optional may be absent. */
function assertBodyFits({ upload, bodyOptional, body }: Endpoint, value: unknown, what: string) {
  if (upload) assert.equal(typeof value, 'string', what)
  else if (!bodyOptional || value !== undefined) assertFits(body, value, what)
}

const countListed = (body: unknown): number =>
  typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)
    ? body.data.length
    : 0
