import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListSelection } from './list-selection.ts'
import { retainInView } from './retain-in-view.ts'

const ORDER = [1, 2, 3, 4]
const itself = (number: number) => number

/** A selection of tasks with the cursor on one of them. */
function createSelection(cursor: number, ...selected: number[]): ListSelection {
  const selection = new ListSelection()
  selection.moveCursor(cursor)
  selection.select(selected)
  return selection
}

test('deselects tasks that have left the view', () => {
  const selection = createSelection(1, 1, 2, 3)
  retainInView(selection, new Set([1, 3, 4]), ORDER, itself)
  assert.deepEqual([...selection.selected], [1, 3])
  assert.equal(selection.cursor, 1)
})

test('moves the cursor from a task that has left the view to the next one, else the previous', () => {
  const cursorAfter = (cursor: number, inView: number[]) => {
    const selection = createSelection(cursor)
    retainInView(selection, new Set(inView), ORDER, itself)
    return selection.cursor
  }
  assert.equal(cursorAfter(2, [1, 4]), 4)
  assert.equal(cursorAfter(4, [1, 2]), 2)
  assert.equal(cursorAfter(4, []), undefined)
  assert.equal(cursorAfter(9, [1, 2]), undefined)
})

test('the cursor and the selection follow a new task to the number that it gets', () => {
  const selection = createSelection(-1, 2, -1)
  retainInView(selection, new Set([1, 2, 7]), [1, -1, 2], (number) => (number === -1 ? 7 : number))
  assert.deepEqual([...selection.selected], [2, 7])
  assert.equal(selection.cursor, 7)
})
