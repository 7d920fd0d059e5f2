import { type RefObject, useEffect, useRef } from 'react'
import type { ListLayout } from '../layout/list-layout.ts'
import type { ListSelection } from './list-selection.ts'

const GRIDS = '[role="grid"], [role="treegrid"]'
const CELLS = ':scope > :is([role="gridcell"], [role="rowheader"])'

/**
 * Whether the cursor's row may take the focus: nothing has it, or another element of the list. It
 * must not be stolen from a field, in which somebody types while a task leaves the list, nor from a
 * control in the row itself.
 */
export function canTakeFocus(listSelector: string, row?: Element | null): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body) return true
  const isInList =
    activeElement.closest(listSelector) !== null && !activeElement.matches('input, textarea')
  return isInList && !row?.contains(activeElement)
}

/**
 * Takes the focus from a link or button beside the tasks, before a key moves the cursor: a click on a
 * project in the sidebar leaves it there, and the row could not take it.
 */
export function releaseFocus(): void {
  const { activeElement } = document
  const isElsewhere = activeElement?.closest(`${GRIDS}, .board`) === null
  if (isElsewhere && activeElement instanceof HTMLElement) activeElement.blur()
}

/** Focuses a row of a grid while the cursor is on it, or the cell of it that had the focus before. */
export function useCursorFocus(
  hasCursor: boolean,
  selection?: ListSelection,
): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null)
  useFocusedRow(row, hasCursor, selection)
  return row
}

/**
 * The same as a component, which only the row of the cursor has: an effect of each row would take time
 * while a list scrolls.
 */
export function CursorFocus({
  row,
  selection,
}: {
  row: RefObject<HTMLDivElement | null>
  selection: ListSelection
}): null {
  useFocusedRow(row, true, selection)
  return null
}

function useFocusedRow(
  row: RefObject<HTMLDivElement | null>,
  hasCursor: boolean,
  selection?: ListSelection,
): void {
  useEffect(() => {
    const element = row.current
    if (!hasCursor || !element || !canTakeFocus(GRIDS, element)) return
    // A task of several groups has several rows: the one that the person moved to is the focus.
    const focused = document.activeElement?.closest<HTMLElement>('[data-task]')
    if (focused && focused.dataset.task === element.dataset.task) return
    focusRow(element, selection?.cell)
  }, [row, hasCursor, selection])
}

/** The visible cells of a row. */
export const cellsOf = (row: Element): HTMLElement[] =>
  [...row.querySelectorAll<HTMLElement>(CELLS)].filter((cell) => cell.checkVisibility())

/** Focuses a row, or one of its cells. */
export function focusRow(row: HTMLElement, cell?: number): void {
  const target = cell === undefined ? row : (cellsOf(row)[cell] ?? row)
  // Cells take the focus from keys alone: with a tabindex, a click on one would focus it, too.
  if (target !== row) target.tabIndex = -1
  target.focus({ preventScroll: true })
}

/** The row of the list or the timeline that has the focus or contains it. */
export const focusedRow = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>(':is(.list > .block, .plan-grid) > [role="row"]') ??
  null

/** The index of a row in the layout: the header of the columns is the first row. */
export const indexOfRow = ({ ariaRowIndex }: HTMLElement): number => Number(ariaRowIndex) - 2

/** The index of the row that has the focus in the layout of the list. */
export function focusedRowIndex(): number | undefined {
  const row = focusedRow()
  return row ? indexOfRow(row) : undefined
}

/** The index of the cursor's row: of the one with the focus, if its task is in several groups. */
export function findCursorIndex(
  layout: ListLayout,
  { cursor, cursorGroup }: ListSelection,
): number | undefined {
  const focused = focusedRowIndex()
  const item = focused === undefined ? undefined : layout.itemAt(focused)
  if (cursor === undefined) return layout.indexOfGroup(cursorGroup)
  return item?.kind === 'task' && item.line.id === cursor ? focused : layout.indexOf(cursor)
}
