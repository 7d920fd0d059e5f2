import type { ListLayout } from './list-layout.ts'
import type { RowHeights } from './row-heights.ts'

/**
 * The position of every row of a list, in px, computed from the fixed row heights without measuring
 * the DOM.
 */
export class RowPositions {
  readonly total: number
  readonly #layout: ListLayout
  readonly #heights: RowHeights
  /** Start of each section, and the end of the last one. */
  readonly #tops: readonly number[]

  constructor(layout: ListLayout, heights: RowHeights) {
    this.#layout = layout
    this.#heights = heights
    const tops = [heights.cols]
    for (const { folded, lines, adding } of layout.sections) {
      const rows = folded ? 0 : lines.length * heights.task
      const extra = (layout.hasHeaders ? heights.head : 0) + (adding ? heights.add : 0)
      tops.push((tops.at(-1) ?? 0) + rows + extra)
    }
    this.#tops = tops
    this.total = tops.at(-1) ?? 0
  }

  /** Start of an item; for the index after the last item, the end of the list. */
  startOf(index: number): number {
    const { sections, starts, hasHeaders, size } = this.#layout
    if (index >= size) return this.total
    const at = this.#layout.sectionAt(index)
    const rows = index - (starts[at] ?? 0) - (hasHeaders ? 1 : 0)
    const top = this.#tops[at] ?? 0
    if (rows < 0 || !sections[at]) return top
    return top + (hasHeaders ? this.#heights.head : 0) + rows * this.#heights.task
  }

  /** The item at a distance from the start of the list. */
  indexAt(offset: number): number {
    const { starts, hasHeaders, size } = this.#layout
    let at = 0
    for (let high = this.#tops.length - 2; at < high; ) {
      const middle = (at + high + 1) >> 1
      if ((this.#tops[middle] ?? 0) <= offset) at = middle
      else high = middle - 1
    }
    const within = offset - (this.#tops[at] ?? 0) - (hasHeaders ? this.#heights.head : 0)
    const row = Math.floor(within / this.#heights.task)
    const index = (starts[at] ?? 0) + (within < 0 ? 0 : row + (hasHeaders ? 1 : 0))
    return Math.max(0, Math.min(index, (starts[at + 1] ?? size) - 1))
  }
}
