interface RowSpacing {
  /** The height of a row in px while no row was measured. */
  estimate: number
  /** The space between two rows, in px. */
  gap?: number
  /** The space before the first row, in px. */
  before?: number
}

/**
 * Where the rows of a list start, in px. Rows that were not measured yet count as high as those that
 * were, on average.
 */
export class RowStarts<Key> {
  /** The height of rows that were not measured yet, in px. */
  readonly assumed: number
  readonly #starts: Float64Array

  /** @param heights Measured heights, by row; it may have those of other rows. */
  constructor(
    rows: readonly Key[],
    heights: ReadonlyMap<Key, number>,
    { estimate, gap = 0, before = 0 }: RowSpacing,
  ) {
    const measured = rows.flatMap((row) => heights.get(row) ?? [])
    const sum = measured.reduce((total, height) => total + height, 0)
    this.assumed = measured.length > 0 ? sum / measured.length : estimate
    this.#starts = new Float64Array(rows.length + 1)
    let at = before
    for (const [index, row] of rows.entries()) {
      this.#starts[index] = at
      at += (heights.get(row) ?? this.assumed) + gap
    }
    this.#starts[rows.length] = at
  }

  /** The start of a row; for the index after the last row, the end of the list. */
  at(index: number): number {
    return this.#starts[index] ?? this.end
  }

  /** The end of the last row, and the gap below it. */
  get end(): number {
    return this.#starts.at(-1) ?? 0
  }

  /** The number of rows. */
  get count(): number {
    return this.#starts.length - 1
  }

  /** The row at a distance from the start of the list, or else the nearest. */
  indexAt(distance: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.at(middle) <= distance) low = middle
      else high = middle - 1
    }
    return low
  }
}
