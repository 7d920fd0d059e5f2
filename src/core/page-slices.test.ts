import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '#lib/json.ts'
import { type ListRow, type PageRequest, parsePageRequest, readInSlices } from './page-request.ts'

const pageOf = (limit: number): PageRequest => parsePageRequest('', '', { limit }, 'created_at')
const toRow = (index: number): ListRow<object> => ({
  id: `id_${index}`,
  key: index,
  json: '{}' as Json<object>,
})

test('a row that moves on between two slices is on the page once', async () => {
  const [first, moved, last] = [toRow(1), toRow(2), toRow(3)]
  const answers = [
    [first, moved],
    [last, { ...moved, key: 4 }],
  ]
  const read = readInSlices(pageOf(9), 2, async () => answers.shift() ?? [])
  assert.deepEqual(await read, [first, moved, last])
})

test('a slice of nothing but rows that have moved on is not read again', () => {
  const [first, second, last] = [toRow(1), toRow(2), toRow(5)]
  const moved = [
    { ...first, key: 3 },
    { ...second, key: 4 },
  ]
  const slices = new Map<unknown, ListRow<object>[]>([
    [undefined, [first, second]],
    [2, moved],
    [4, [last]],
  ])
  const read = readInSlices(pageOf(9), 2, ({ after }) => {
    const rows = slices.get(after?.[0]) ?? assert.fail(`read again after ${after?.[0]}`)
    slices.delete(after?.[0])
    return rows
  })
  assert.deepEqual(read, [first, second, last])
})
