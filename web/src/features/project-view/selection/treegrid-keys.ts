import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { treegridKeyMessages } from '../../../messages/tasks/treegrid-keys.ts'
import { type Shortcut, useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import { cellsOf, focusedRow, focusedRowIndex, focusRow } from './cursor-focus.ts'
import type { ListSelection } from './list-selection.ts'

interface TreegridKeysProps {
  selection: ListSelection
  layout: ListLayout
  onFold: (key: string) => void
  onField: (id: string, field: string, cell: HTMLElement) => void
}

/**
 * Keys of the treegrid pattern of the ARIA Authoring Practices, in addition to those of the list:
 * they reach the headers of groups and the cells of a row. The focus itself is the position, because
 * a task of several groups has several rows. A component without output, because the first rows do
 * not wait for it.
 */
export function TreegridKeys({ selection, layout, onFold, onField }: TreegridKeysProps): null {
  const shortcuts: Shortcut[] = [
    {
      keys: 'arrowright',
      label: treegridKeyMessages.toCells,
      repeats: true,
      when: hasFocusedRow,
      run: moveRight,
    },
    {
      keys: 'arrowleft',
      label: treegridKeyMessages.toRow,
      repeats: true,
      when: hasFocusedRow,
      run: moveLeft,
    },
    {
      keys: 'arrowdown',
      label: projectViewMessages.next,
      hidden: true,
      repeats: true,
      when: () => needsExactStep(1),
      run: () => step(1),
    },
    {
      keys: 'arrowup',
      label: projectViewMessages.previous,
      hidden: true,
      repeats: true,
      when: () => needsExactStep(-1),
      run: () => step(-1),
    },
    {
      keys: 'home',
      label: treegridKeyMessages.toFirst,
      when: hasFocusedRow,
      run: () => (focusedCell() ? focusCell(0) : goTo(0)),
    },
    {
      keys: 'end',
      label: treegridKeyMessages.toLast,
      when: hasFocusedRow,
      run: () => (focusedCell() ? focusCell(-1) : goTo(layout.size - 1)),
    },
    {
      keys: 'mod+home',
      label: treegridKeyMessages.toFirst,
      hidden: true,
      when: hasFocusedRow,
      run: () => goTo(0),
    },
    {
      keys: 'mod+end',
      label: treegridKeyMessages.toLast,
      hidden: true,
      when: hasFocusedRow,
      run: () => goTo(layout.size - 1),
    },
    {
      keys: 'enter',
      label: treegridKeyMessages.changeCell,
      when: () => focusedGroup() !== undefined || isChangeable(focusedCell()),
      run: activate,
    },
    {
      keys: 'escape',
      label: treegridKeyMessages.toRow,
      hidden: true,
      when: () => focusedCell() !== undefined,
      run: leaveCells,
    },
  ]
  useShortcuts('part', treegridKeyMessages.keysCells, shortcuts)
  return null

  function moveRight(): void {
    const group = focusedGroup()
    const index = focusedRowIndex()
    if (group === undefined || focusedCell()) focusCell((focusedCellIndex() ?? -1) + 1)
    else if (isFolded(group)) onFold(group)
    else if (index !== undefined) goTo(index + 1)
  }

  function moveLeft(): void {
    const cell = focusedCellIndex()
    const group = focusedGroup()
    if (cell === 0) leaveCells()
    else if (cell !== undefined) focusCell(cell - 1)
    else if (group === undefined) goTo(parentIndexOf(layout, focusedRowIndex()))
    else if (!isFolded(group)) onFold(group)
  }

  /** Other steps are those of the list, from task to task. */
  function needsExactStep(by: -1 | 1): boolean {
    if (selection.place) return false
    const next = layout.itemAt(adjacentIndex(by) ?? -1)
    if (next?.kind === 'task' && focusedGroup() === undefined)
      return layout.indexOf(next.line.id) !== adjacentIndex(by)
    return next !== undefined && hasFocusedRow()
  }

  function step(by: -1 | 1): void {
    goTo(adjacentIndex(by))
  }

  /** The index of the next row in a direction, past the rows in which new tasks are typed. */
  function adjacentIndex(by: -1 | 1): number | undefined {
    let index = focusedRowIndex()
    do {
      if (index === undefined) return undefined
      index += by
    } while (layout.itemAt(index)?.kind === 'add')
    return index >= 0 && index < layout.size ? index : undefined
  }

  /** Moves the focus and the cursor to a row, which may not be rendered yet. */
  function goTo(index: number | undefined): void {
    const item = index === undefined ? undefined : layout.itemAt(index)
    if (index === undefined || !item) return
    selection.cell = focusedCellIndex()
    selection.place = undefined
    const row = document.querySelector<HTMLElement>(
      `.list > .block > [aria-rowindex="${index + 2}"]`,
    )
    if (row) focusRow(row, selection.cell)
    if (item.kind === 'task') selection.moveCursor(item.line.id)
    else if (item.kind === 'head') selection.moveToGroup(item.section.key)
  }

  function focusCell(at: number): void {
    const row = focusedRow()
    if (!row) return
    const index = Math.min(at < 0 ? cellsOf(row).length + at : at, cellsOf(row).length - 1)
    selection.cell = index
    focusRow(row, index)
  }

  function leaveCells(): void {
    selection.cell = undefined
    focusedRow()?.focus({ preventScroll: true })
  }

  function activate(): void {
    const group = focusedGroup()
    const cell = focusedCell()
    const { task: id = '' } = focusedRow()?.dataset ?? {}
    if (group !== undefined) onFold(group)
    else if (cell?.dataset.field) onField(id, cell.dataset.field, cell)
    else if (cell) selection.toggle(id)
  }

  function isFolded(key: string): boolean {
    return layout.sections.some((section) => section.key === key && section.folded)
  }
}

const hasFocusedRow = (): boolean => focusedRow() !== null
const focusedGroup = (): string | undefined => focusedRow()?.dataset.group

/** The cell that has the focus itself. */
function focusedCell(): HTMLElement | undefined {
  const row = focusedRow()
  return row ? cellsOf(row).find((cell) => cell === document.activeElement) : undefined
}

function focusedCellIndex(): number | undefined {
  const [row, cell] = [focusedRow(), focusedCell()]
  return row && cell ? cellsOf(row).indexOf(cell) : undefined
}

/** Whether Enter opens the picker of a cell, or selects the task in the first one. */
const isChangeable = (cell: HTMLElement | undefined): boolean =>
  cell !== undefined && (cell.dataset.field !== undefined || cell.classList.contains('gut'))

/** The row of the parent: of the task above a subtask, else the header of the group. */
function parentIndexOf(layout: ListLayout, index: number | undefined): number | undefined {
  const item = index === undefined ? undefined : layout.itemAt(index)
  if (index === undefined || item?.kind !== 'task') return undefined
  for (let at = index - 1; at >= 0; at -= 1) {
    const above = layout.itemAt(at)
    if (above?.kind !== 'task') return above?.kind === 'head' ? at : undefined
    if (above.line.depth < item.line.depth) return at
  }
  return undefined
}
