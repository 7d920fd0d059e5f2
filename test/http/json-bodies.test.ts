import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

let post: (payload: string | Buffer) => Promise<{ status: number; code: string; details: string[] }>

before(async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys, project } = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
  post = async (payload) => {
    const url = `/api/v1/projects/${project}/tags`
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    const { code = '', details = [] } = reply.json().error ?? {}
    return {
      status: reply.statusCode,
      code,
      details: details.map((one: { code: string }) => one.code),
    }
  }
})

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

test('rejects malformed JSON, __proto__ and deep nesting with 400', async () => {
  const malformed: [string, string | Buffer][] = [
    ['empty', ''],
    ['white space', ' \n'],
    ['cut off', '{"name":"a"'],
    ['two values', '{}{}'],
    ['a trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['a bare control character', '{"name":"\u0001"}'],
    ['not a number', '{"name":NaN}'],
    ['a byte order mark', '\ufeff{"name":"a"}'],
    ['a byte that is no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate as UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['33 levels', nested(33)],
    ['levels without end', '['.repeat(100_000)],
    ['a prototype', '{"__proto__":{"polluted":true}}'],
    ['a prototype within', '{"name":"a","x":[{"__proto__":null}]}'],
    ['a prototype in escapes', '{"\\u005f_proto__":{"polluted":true}}'],
  ]
  for (const [label, text] of malformed) {
    const { status, code } = await post(text)
    assert.deepEqual([status, code], [400, 'invalid_json'], label)
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.deepEqual(Object.keys(Object.prototype), [])
})

test('validates the fields of well-formed JSON with 422, whatever their names', async () => {
  for (const [text, detail] of [
    ['[]', 'invalid_type'],
    ['null', 'invalid_type'],
    ['"name"', 'invalid_type'],
    [nested(32), 'unknown_field'],
    ['{"name":"a","constructor":{"prototype":1}}', 'unknown_field'],
    ['{"name":"a","toString":1}', 'unknown_field'],
    ['{"name":"a","hasOwnProperty":1}', 'unknown_field'],
    ['{"name":1e400}', 'invalid_type'],
    ['{"name":"a","id":"tag_x"}', 'read_only_field'],
    ['{"name":"\\ud800"}', 'invalid_characters'],
    ['{"name":"\\u0000"}', 'invalid_characters'],
    ['{"name":"a\\u0085"}', 'invalid_characters'],
  ] as const) {
    const result = await post(text)
    assert.deepEqual([result.status, result.code], [422, 'validation_failed'], text)
    assert.ok(result.details.includes(detail), text)
  }
  const twice = await post('{"name":1,"name":"the last counts"}')
  assert.equal(twice.status, 201)
})
