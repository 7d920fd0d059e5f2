import { useEffect, useReducer, useRef } from 'react'
import { flushSync } from 'react-dom'

/**
 * Full rows rendered per frame: a slow machine manages the minimum, a fast one is given more. While a
 * list scrolls its frames must be short; when it appears, more frames would only take longer in all.
 */
const MIN_ROWS_SCROLLING = 2
const MIN_ROWS_RESTING = 8
const MAX_ROWS_PER_FRAME = 12
/** A list rests after this time without a scroll event. */
const REST_MS = 200
/** One frame at 60 Hz, plus some delay. */
const FRAME_BUDGET_MS = 20

/** Callbacks that render a row in full, in the order in which the rows appeared. */
const pendingRows = new Set<() => void>()
let rowsPerFrame = MIN_ROWS_RESTING
/** The numbers of rows that appeared in this frame, and of those that were rendered in full at once. */
let newRows = 0
let newFullRows = 0
/** The beginning of the last frame that was used; long ago after a pause. */
let lastFrameAt = 0
let frame: number | undefined

/**
 * Whether a row is rendered in full once its data is loaded: at once, as the first of a frame are, or
 * within the next frames, when it is its turn. When many rows appear at once, the others show only
 * what matters most at first. A row that takes other loaded data stays in full.
 */
export function useProgressiveRow(isLoaded: boolean): boolean {
  const shown = useRef({ isLoaded: false, isFull: false })
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  if (shown.current.isLoaded !== isLoaded)
    shown.current = { isLoaded, isFull: isLoaded && takeFullRow() }
  const { isFull } = shown.current
  useEffect(() => {
    if (!isLoaded || isFull) return
    const renderInFull = () => {
      shown.current = { isLoaded, isFull: true }
      rerender()
    }
    pendingRows.add(renderInFull)
    scheduleFrame()
    return () => void pendingRows.delete(renderInFull)
  }, [isLoaded, isFull])
  return isFull
}

let scrolledAt = -REST_MS

/** Tells that a list scrolls. */
export function noteScroll(): void {
  scrolledAt = performance.now()
}

const countMinRows = (): number =>
  performance.now() - scrolledAt < REST_MS ? MIN_ROWS_SCROLLING : MIN_ROWS_RESTING

/** Counts a row that appears, and tells whether this frame renders it in full. */
function takeFullRow(): boolean {
  scheduleFrame()
  newRows += 1
  const isFull = newFullRows < countMinRows()
  if (isFull) newFullRows += 1
  return isFull
}

function scheduleFrame(): void {
  if (frame === undefined) frame = requestAnimationFrame(renderNextRows)
}

/**
 * Runs once per frame, after its scroll events. While many rows scroll by, pending rows wait. Rows that
 * scrolling has rendered in full count as well, so that no frame renders more than it can.
 */
function renderNextRows(at: number): void {
  const minRows = countMinRows()
  rowsPerFrame =
    at - lastFrameAt > FRAME_BUDGET_MS ? minRows : Math.min(MAX_ROWS_PER_FRAME, rowsPerFrame + 2)
  const count = newRows > minRows ? 0 : rowsPerFrame - newFullRows
  const batch = [...pendingRows].slice(0, Math.max(0, count))
  lastFrameAt = at
  newRows = 0
  newFullRows = 0
  frame = pendingRows.size > 0 ? requestAnimationFrame(renderNextRows) : undefined
  if (batch.length === 0) return
  for (const renderInFull of batch) pendingRows.delete(renderInFull)
  flushSync(() => {
    for (const renderInFull of batch) renderInFull()
  })
}
