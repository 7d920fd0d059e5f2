import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListLayout, type TaskSection } from './list-layout.ts'
import { RowPositions } from './row-positions.ts'

const heights = { cols: 28, head: 44, task: 34, add: 40 }
const section = (key: string, count: number, more: Partial<TaskSection> = {}): TaskSection => ({
  key,
  label: key,
  count,
  estimate: 0,
  remaining: 0,
  spent: 0,
  folded: false,
  adding: false,
  lines: Array.from({ length: count }, (_, n) => ({ id: `tsk_${n + 1}`, depth: 0 })),
  ...more,
})

test('every row starts where the previous one ends, and indexAt finds it there', () => {
  const folded = section('c', 9, { folded: true })
  for (const headed of [true, false]) {
    const sections = [section('a', 3), section('b', 2, { adding: true }), folded, section('d', 1)]
    const layout = new ListLayout(sections, headed)
    const measures = new RowPositions(layout, heights)
    let at = heights.cols
    for (let index = 0; index < layout.size; index += 1) {
      assert.equal(measures.startOf(index), at)
      const height = heights[layout.itemAt(index)?.kind ?? 'task']
      assert.equal(measures.indexAt(at), index)
      assert.equal(measures.indexAt(at + height - 1), index)
      at += height
    }
    assert.equal(measures.total, at)
    assert.equal(measures.indexAt(at + 500), layout.size - 1)
    assert.equal(measures.indexAt(-5), 0)
  }
})

test('finds the index of a task, and lists the tasks of expanded groups in order', () => {
  const layout = new ListLayout([section('a', 2), section('b', 3, { folded: true })], true)
  assert.deepEqual(
    [layout.size, layout.indexOf('tsk_2'), layout.indexOf('tsk_3')],
    [4, 2, undefined],
  )
  assert.deepEqual(
    [layout.order, layout.allIds],
    [
      ['tsk_1', 'tsk_2'],
      ['tsk_1', 'tsk_2', 'tsk_3'],
    ],
  )
})
