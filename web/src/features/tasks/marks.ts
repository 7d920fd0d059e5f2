import { useCallback, useSyncExternalStore } from 'react'

/** Which cell of a row is being edited. */
export type Editing = 'title'

const CURSOR = 1
const SELECTED = 2
const TITLE = 4

/**
 * Where the cursor of a list is, what is selected and what is being edited, by number. Rows listen to it one by
 * one: moving the cursor renders two rows and no list.
 */
export class Marks {
  cursor: number | undefined
  /** From where a range is selected. */
  anchor: number | undefined
  selected: ReadonlySet<number> = new Set()
  editing: number | undefined
  /** What is open was opened to be looked at: it follows the cursor. */
  peeking = false
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What a row shows of it, in one number. */
  bitsOf(number: number): number {
    return (
      (this.cursor === number ? CURSOR : 0) |
      (this.selected.has(number) ? SELECTED : 0) |
      (this.editing === number ? TITLE : 0)
    )
  }

  moveTo(number: number | undefined): void {
    this.cursor = number
    this.#tell()
  }

  select(numbers: Iterable<number>): void {
    this.selected = new Set(numbers)
    this.#tell()
  }

  toggle(number: number): void {
    const next = new Set(this.selected)
    if (!next.delete(number)) next.add(number)
    this.anchor = number
    this.select(next)
  }

  /** Selects all from the anchor to a task, in the order in which they stand, beside what is selected. */
  extend(order: readonly number[], to: number): void {
    const from = order.indexOf(this.anchor ?? this.cursor ?? to)
    const end = order.indexOf(to)
    if (from < 0 || end < 0) {
      this.toggle(to)
      return
    }
    this.anchor ??= order[from]
    this.select([...this.selected, ...order.slice(Math.min(from, end), Math.max(from, end) + 1)])
  }

  edit(number: number | undefined): void {
    this.editing = number
    this.#tell()
  }

  /** Takes off marks of what is gone. */
  keep(there: (number: number) => boolean): void {
    if ([...this.selected].every(there)) return
    this.select([...this.selected].filter(there))
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

export interface Marked {
  cursor: boolean
  selected: boolean
  editing: boolean
}

/** What is marked of one row. */
export function useMarked(marks: Marks, number: number): Marked {
  const bits = useSyncExternalStore(marks.subscribe, () => marks.bitsOf(number))
  return {
    cursor: (bits & CURSOR) !== 0,
    selected: (bits & SELECTED) !== 0,
    editing: (bits & TITLE) !== 0,
  }
}

/** What is selected; renders again with each change of it. */
export const useSelected = (marks: Marks): ReadonlySet<number> =>
  useSyncExternalStore(
    marks.subscribe,
    useCallback(() => marks.selected, [marks]),
  )

/** Where the cursor is; renders again when it moves. */
export const useCursor = (marks: Marks): number | undefined =>
  useSyncExternalStore(
    marks.subscribe,
    useCallback(() => marks.cursor, [marks]),
  )
