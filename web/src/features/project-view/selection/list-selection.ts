import { useCallback, useSyncExternalStore } from 'react'

const CURSOR_FLAG = 1
const SELECTED_FLAG = 2
const EDITING_FLAG = 4
const OPEN_FLAG = 8

/**
 * The cursor, the selected tasks and the edited task of a list, by task id. Each row subscribes
 * on its own, so moving the cursor renders two rows and not the list.
 */
export class ListSelection {
  cursor: string | undefined
  /** The key of the group whose header has the cursor instead of a task. */
  cursorGroup: string | undefined
  /** The cell that has the focus in the row of the cursor, from 0; undefined if the row has it. */
  cell: number | undefined
  /**
   * The order in which J and K go on, if a change has moved the cursor's task: it has its old place
   * there, where the person works. Null if they have just moved it by hand.
   */
  place: readonly string[] | null | undefined
  /** The task from which a range selection starts. */
  anchor: string | undefined
  selected: ReadonlySet<string> = new Set()
  editing: string | undefined
  /** The task that is open in the panel beside the list. */
  open: string | undefined
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The state of one row as bit flags, so that snapshots are compared by value. */
  getRowFlags(id: string): number {
    return (
      (this.cursor === id ? CURSOR_FLAG : 0) |
      (this.selected.has(id) ? SELECTED_FLAG : 0) |
      (this.editing === id ? EDITING_FLAG : 0) |
      (this.open === id ? OPEN_FLAG : 0)
    )
  }

  moveCursor(id: string | undefined): void {
    this.cursor = id
    this.cursorGroup = this.place = undefined
    this.#notify()
  }

  /** Marks the open task; the cursor goes to its row if that `isListed`. */
  markOpen(id: string | undefined, isListed: boolean): void {
    this.open = id
    if (isListed && this.cursor !== id) this.moveCursor(id)
    else this.#notify()
  }

  /** Moves the cursor to the header of a group. */
  moveToGroup(key: string): void {
    this.cursor = undefined
    this.cursorGroup = key
    this.#notify()
  }

  /** Moves the cursor to the row that received the focus. */
  followFocus(id: string): void {
    if (this.cursor !== id) this.moveCursor(id)
  }

  select(ids: Iterable<string>): void {
    this.selected = new Set(ids)
    this.#notify()
  }

  toggle(id: string): void {
    const next = new Set(this.selected)
    if (!next.delete(id)) next.add(id)
    this.anchor = id
    this.select(next)
  }

  /** Begins a range at the cursor, unless it goes on from a task that is still selected. */
  beginRange(): void {
    // A range has what is seen between two rows.
    this.place = undefined
    if (!this.selected.has(this.anchor ?? '')) this.anchor = this.cursor
  }

  /** Adds the range from the anchor to a task, in the given order, to the selection. */
  extend(order: readonly string[], to: string): void {
    const from = order.indexOf(this.anchor ?? this.cursor ?? to)
    const end = order.indexOf(to)
    if (from < 0 || end < 0) {
      this.toggle(to)
      return
    }
    this.anchor ??= order[from]
    this.select([...this.selected, ...order.slice(Math.min(from, end), Math.max(from, end) + 1)])
  }

  edit(id: string | undefined): void {
    this.editing = id
    this.#notify()
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

interface RowSelectionState {
  cursor: boolean
  selected: boolean
  editing: boolean
  /** Whether the task is open in the panel: `aria-current` of its row. */
  open: boolean
}

/** The selection state of one row; renders it again when that changes. */
export function useRowSelectionState(marks: ListSelection, id: string): RowSelectionState {
  const flags = useSyncExternalStore(marks.subscribe, () => marks.getRowFlags(id))
  return {
    cursor: (flags & CURSOR_FLAG) !== 0,
    selected: (flags & SELECTED_FLAG) !== 0,
    editing: (flags & EDITING_FLAG) !== 0,
    open: (flags & OPEN_FLAG) !== 0,
  }
}

/** The ids of the selected tasks; renders again with each change. */
export const useSelectedIds = (marks: ListSelection): ReadonlySet<string> =>
  useSyncExternalStore(
    marks.subscribe,
    useCallback(() => marks.selected, [marks]),
  )

/** The key of the group whose header has the cursor; renders again when it changes. */
export const useCursorGroup = (marks: ListSelection): string | undefined =>
  useSyncExternalStore(
    marks.subscribe,
    useCallback(() => marks.cursorGroup, [marks]),
  )

/** The id of the task under the cursor; renders again when the cursor moves. */
export const useCursor = (marks: ListSelection): string | undefined =>
  useSyncExternalStore(
    marks.subscribe,
    useCallback(() => marks.cursor, [marks]),
  )
