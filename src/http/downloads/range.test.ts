import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#core/api-error.ts'
import { parseRange } from './download-handler.ts'

const SIZE = 10

test('parses a single byte range', () => {
  const ranges: [header: string, start: number, end: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=2-5', 2, 5],
    ['bytes=2-', 2, 9],
    ['bytes=2-99', 2, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-99', 0, 9],
    ['Bytes=9-9', 9, 9],
  ]
  for (const [header, start, end] of ranges) {
    assert.deepEqual(parseRange(header, SIZE), { start, end }, header)
  }
})

test('ignores malformed Range headers and multiple ranges', () => {
  const ignored = ['', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', 'bytes=0-1,3-4', 'lines=1-2']
  for (const header of [undefined, ...ignored, 'bytes=0-0x1', `bytes=${'9'.repeat(400)}-`]) {
    assert.equal(parseRange(header, SIZE), undefined, `${header}`)
  }
})

test('rejects a range beyond the end with 416 and the size in Content-Range', () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-']) {
    const isRefused = (error: unknown) =>
      error instanceof ApiError &&
      error.status === 416 &&
      error.code === 'range_not_satisfiable' &&
      error.headers['content-range'] === 'bytes */10'
    assert.throws(() => parseRange(header, SIZE), isRefused, header)
  }
})
