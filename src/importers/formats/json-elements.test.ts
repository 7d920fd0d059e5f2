import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readJsonElements, readJsonObjectElements, readJsonValues } from './json-elements.ts'

/** Each way to cut a text in two. */
const cuts = (text: string) =>
  Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)])

async function readAll(read: typeof readJsonElements, text: string): Promise<unknown[][]> {
  const results = await Promise.all(
    cuts(text).map((chunks) =>
      Array.fromAsync(read(Readable.from(chunks)), ({ object, member, value }) => [
        object,
        member,
        value,
      ]),
    ),
  )
  for (const result of results) assert.deepEqual(result, results[0])
  return results[0] ?? []
}

test('reads the elements of a list, and of the members of an object', async () => {
  assert.deepEqual(await readAll(readJsonElements, ' [ 1, "a,]\\"", [[2], {}], {"x":[3]} ] '), [
    [0, null, 1],
    [0, null, 'a,]"'],
    [0, null, [[2], {}]],
    [0, null, { x: [3] }],
  ])
  assert.deepEqual(
    await readAll(readJsonElements, '{"a":[1,{"b":[]}],"c":{"d":[2]},"e":[],"f":3}'),
    [
      [0, 'a', 1],
      [0, 'a', { b: [] }],
      [0, 'c', { d: [2] }],
      [0, 'f', 3],
    ],
  )
  for (const empty of ['[]', '{}']) assert.deepEqual(await readAll(readJsonElements, empty), [])
})

test('reads the elements of each object in a list', async () => {
  assert.deepEqual(
    await readAll(readJsonObjectElements, '[{"a":[1,[2]],"b":"x"}, 5, {"a":[{"a":[3]}]}]'),
    [
      [1, 'a', 1],
      [1, 'a', [2]],
      [1, 'b', 'x'],
      [1, null, 5],
      [2, 'a', { a: [3] }],
    ],
  )
})

test('reads lists, objects and lines that follow each other', async () => {
  assert.deepEqual(
    await readAll(readJsonElements, '[1,{"a":[]}][]\n[[2]] {"x":[3],"y":"]["}{"x":[4]}'),
    [
      [0, null, 1],
      [0, null, { a: [] }],
      [0, null, [2]],
      [0, 'x', 3],
      [0, 'y', ']['],
      [0, 'x', 4],
    ],
  )
  assert.deepEqual(await readAll(readJsonValues, '{"a":[1,{"b":2}]}\n\n{}[3] '), [
    [0, null, { a: [1, { b: 2 }] }],
    [0, null, {}],
    [0, null, [3]],
  ])
  for (const text of ['{"a":1', '{} 5', '{}}', '"a"'])
    await assert.rejects(readAll(readJsonValues, text), { message: 'json_malformed' }, text)
  await assert.rejects(readAll(readJsonObjectElements, '[][]'), { message: 'json_malformed' })
})

test('refuses what is not well-formed', async () => {
  const malformed = ['', '5', '5,[1]', '[1', '[1]]', '[1] 2', '[1}', '[[1][2]]', '[1 2]', '{"a"}']
  for (const text of [
    ...malformed,
    '{[1]}',
    '{"a":[1][2]}',
    '{"a":[1] 2}',
    '{"x":1[][]}',
    '{1:2}',
  ]) {
    await assert.rejects(readAll(readJsonElements, text), { message: 'json_malformed' }, text)
  }
  await assert.rejects(readAll(readJsonElements, '['.repeat(101)), { message: 'json_too_deep' })
})
