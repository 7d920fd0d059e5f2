import type { Heights } from './heights.ts'
import type { Layout } from './layout.ts'

/** Where every row of a list stands, in px: reckoned from the fixed heights of rows, however many there are. */
export class Measures {
  readonly total: number
  readonly #layout: Layout
  readonly #heights: Heights
  /** Start of each section, and of what comes after the last. */
  readonly #tops: readonly number[]

  constructor(layout: Layout, heights: Heights) {
    this.#layout = layout
    this.#heights = heights
    const tops = [heights.cols]
    for (const { folded, lines, adding } of layout.sections) {
      const rows = folded ? 0 : lines.length * heights.task
      const more = (layout.headed ? heights.head : 0) + (adding ? heights.add : 0)
      tops.push((tops.at(-1) ?? 0) + rows + more)
    }
    this.#tops = tops
    this.total = tops.at(-1) ?? 0
  }

  /** Start of an item; of the one after the last, the end. */
  startOf(index: number): number {
    const { sections, starts, headed, size } = this.#layout
    if (index >= size) return this.total
    const at = this.#layout.sectionAt(index)
    const rows = index - (starts[at] ?? 0) - (headed ? 1 : 0)
    const top = this.#tops[at] ?? 0
    if (rows < 0 || !sections[at]) return top
    return top + (headed ? this.#heights.head : 0) + rows * this.#heights.task
  }

  /** The item at a distance from the start of the list. */
  indexAt(offset: number): number {
    const { starts, headed, size } = this.#layout
    let at = 0
    for (let high = this.#tops.length - 2; at < high; ) {
      const middle = (at + high + 1) >> 1
      if ((this.#tops[middle] ?? 0) <= offset) at = middle
      else high = middle - 1
    }
    const within = offset - (this.#tops[at] ?? 0) - (headed ? this.#heights.head : 0)
    const row = Math.floor(within / this.#heights.task)
    const index = (starts[at] ?? 0) + (within < 0 ? 0 : row + (headed ? 1 : 0))
    return Math.max(0, Math.min(index, (starts[at + 1] ?? size) - 1))
  }
}
