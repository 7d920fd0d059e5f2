import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '#lib/json.ts'
import {
  type ListRow,
  MAX_PAGE_BYTES,
  type PageRequest,
  parsePageRequest,
  readInSlices,
} from './page-request.ts'

const pageOf = (limit: number): PageRequest => parsePageRequest('', '', { limit }, 'created_at')
const toRow = (index: number, bytes = 0): ListRow<object> => ({
  id: `id_${index}`,
  key: index,
  json: `"${'x'.repeat(bytes)}"` as Json<object>,
})

/** Reads a page from rows, and records the slices. */
function readRows(rows: readonly ListRow<object>[], limit: number, size: number) {
  const slices: [after: unknown, limit: number][] = []
  const read = readInSlices(pageOf(limit), size, ({ after, limit: length }) => {
    slices.push([after?.[0], length])
    const start = after ? rows.findIndex(({ key }) => key === after[0]) + 1 : 0
    return rows.slice(start, start + length)
  })
  return { read, slices }
}

test('a page that fits into a slice is read at once', () => {
  const rows = Array.from({ length: 30 }, (_, index) => toRow(index))
  const { read, slices } = readRows(rows, 16, 17)
  assert.deepEqual(read, rows.slice(0, 17))
  assert.deepEqual(slices, [[undefined, 17]])
})

test('a longer page is read in slices of one size, in the same turn where none waits', () => {
  const rows = Array.from({ length: 300 }, (_, index) => toRow(index))
  const { read, slices } = readRows(rows, 200, 60)
  assert.deepEqual(read, rows.slice(0, 201))
  assert.deepEqual(slices, [
    [undefined, 60],
    [59, 60],
    [119, 60],
    [179, 21],
  ])
})

test('the end of a list ends the page', () => {
  const rows = Array.from({ length: 20 }, (_, index) => toRow(index))
  const { read, slices } = readRows(rows, 200, 17)
  assert.deepEqual(read, rows)
  assert.equal(slices.length, 2)
})

test('no slice is read after those that fill a reply, and the next page continues there', async () => {
  const rows = Array.from({ length: 200 }, (_, index) => toRow(index, MAX_PAGE_BYTES / 16))
  const { read, slices } = readRows(rows, 200, 17)
  assert.equal(slices.length, 1)
  const { data, next_cursor } = JSON.parse(
    pageOf(200)
      .toPage(await read)
      .toString(),
  )
  assert.equal(data.length, 15)
  assert.ok(next_cursor)
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
