import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListSelection } from './list-selection.ts'
import { retainInView } from './retain-in-view.ts'

const ORDER = ['1', '2', '3', '4']
const itself = (id: string) => id

/** A selection of tasks with the cursor on one of them. */
function createSelection(cursor: string, ...selected: string[]): ListSelection {
  const selection = new ListSelection()
  selection.moveCursor(cursor)
  selection.select(selected)
  return selection
}

test('deselects tasks that have left the view', () => {
  const selection = createSelection('1', '1', '2', '3')
  retainInView(selection, new Set(['1', '3', '4']), ORDER, itself)
  assert.deepEqual([...selection.selected], ['1', '3'])
  assert.equal(selection.cursor, '1')
})

test('moves the cursor from a task that has left the view to the next one, else the previous', () => {
  const cursorAfter = (cursor: string, inView: string[]) => {
    const selection = createSelection(cursor)
    retainInView(selection, new Set(inView), ORDER, itself)
    return selection.cursor
  }
  assert.equal(cursorAfter('2', ['1', '4']), '4')
  assert.equal(cursorAfter('4', ['1', '2']), '2')
  assert.equal(cursorAfter('4', []), undefined)
  assert.equal(cursorAfter('9', ['1', '2']), undefined)
})

test('the cursor and the selection follow a new task to the id that it gets', () => {
  const selection = createSelection('new-1', '2', 'new-1')
  retainInView(selection, new Set(['1', '2', '7']), ['1', 'new-1', '2'], (id) =>
    id === 'new-1' ? '7' : id,
  )
  assert.deepEqual([...selection.selected], ['2', '7'])
  assert.equal(selection.cursor, '7')
})
