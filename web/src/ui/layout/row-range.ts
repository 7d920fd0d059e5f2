/** Rows rendered beyond each edge of the viewport. */
export const OVERSCAN_ROWS = 6
/**
 * At first, and after a jump by more than a page, only the viewport is rendered, and the overscan
 * after this delay.
 */
export const OVERSCAN_DELAY_MS = 120
/** Rows are added in steps, because adding them one by one would render the list for each. */
const ROW_STEP = 2

/** Indexes of rows; `last` is exclusive. */
export interface RowRange {
  first: number
  last: number
}

/** The visible part of a list, in px from its start, and how many rows around it are rendered. */
export interface ListViewport {
  top: number
  height: number
  around: number
}

/**
 * The rows that are rendered for a viewport.
 *
 * @param positions - tells the row at a distance from the start of the list, or else the nearest.
 * @param count - the number of rows of the list.
 */
export function findRowRange(
  positions: { indexAt(distance: number): number },
  count: number,
  { top, height, around }: ListViewport,
): RowRange {
  const first = Math.max(0, positions.indexAt(top) - around)
  const last = positions.indexAt(top + height) + 1 + around
  return {
    first: first - (first % ROW_STEP),
    last: Math.min(count, Math.ceil(last / ROW_STEP) * ROW_STEP),
  }
}
