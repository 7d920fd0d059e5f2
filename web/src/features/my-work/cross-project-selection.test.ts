import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrossProjectSelection } from './cross-project-selection.ts'

const ORDER = ['a', 'b', 'c', 'd', 'e', 'f']

test('a range begins where the cursor is, once the task selected last is deselected', () => {
  const selection = new CrossProjectSelection()
  const selected = () => [...selection.ids.get()]
  selection.toggle('a')
  selection.extend(ORDER, 'a', 'b')
  selection.extend(ORDER, 'b', 'c')
  assert.deepEqual(selected(), ['a', 'b', 'c'])
  selection.set([])
  selection.extend(ORDER, 'e', 'f')
  assert.deepEqual(selected(), ['e', 'f'])
})
