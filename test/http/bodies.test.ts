import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'

let post: (payload: string | Buffer) => Promise<{ status: number; code: string; details: string[] }>

before(async () => {
  const { storage, server } = await docketOn('sqlite')
  const { keys, project } = await newHome(storage)
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

test('what is no JSON, or dangerous as such, is 400', async () => {
  const wrong: [string, string | Buffer][] = [
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
  for (const [what, text] of wrong) {
    const { status, code } = await post(text)
    assert.deepEqual([status, code], [400, 'invalid_json'], what)
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.deepEqual(Object.keys(Object.prototype), [])
})

test('what is JSON is judged by its fields, whatever their names', async () => {
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
    const found = await post(text)
    assert.deepEqual([found.status, found.code], [422, 'validation_failed'], text)
    assert.ok(found.details.includes(detail), text)
  }
  const twice = await post('{"name":1,"name":"the last counts"}')
  assert.equal(twice.status, 201)
})
