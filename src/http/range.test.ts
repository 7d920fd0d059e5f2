import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#core/refusal.ts'
import { rangeOf } from './range.ts'

const SIZE = 10

test('one range of bytes is understood', () => {
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
    assert.deepEqual(rangeOf(header, SIZE), { start, end }, header)
  }
})

test('what makes no sense, or asks for several ranges, asks for the whole file', () => {
  const ignored = ['', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', 'bytes=0-1,3-4', 'lines=1-2']
  for (const header of [undefined, ...ignored, 'bytes=0-0x1', `bytes=${'9'.repeat(400)}-`]) {
    assert.equal(rangeOf(header, SIZE), undefined, `${header}`)
  }
})

test('a range beyond the end is refused, and the refusal tells where the end is', () => {
  for (const header of ['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-']) {
    const isRefused = (error: unknown) =>
      error instanceof Refusal &&
      error.status === 416 &&
      error.code === 'range_not_satisfiable' &&
      error.headers['content-range'] === 'bytes */10'
    assert.throws(() => rangeOf(header, SIZE), isRefused, header)
  }
})
