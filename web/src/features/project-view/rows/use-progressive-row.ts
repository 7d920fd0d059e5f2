import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Full rows rendered per frame: a slow machine manages the minimum, a fast one is given more. */
const MIN_ROWS_PER_FRAME = 4
const MAX_ROWS_PER_FRAME = 12
/** One frame at 60 Hz, plus some delay. */
const FRAME_BUDGET_MS = 20

/** Callbacks that render a row in full, in the order in which the rows appeared. */
const pendingRows = new Set<() => void>()
let rowsPerFrame = MIN_ROWS_PER_FRAME
/** The number of rows that appeared in this frame. */
let newRows = 0
let lastFrameAt = 0
let frame: number | undefined

/**
 * Whether a row whose task is loaded is rendered in full. When fast scrolling brings many rows at
 * once, each shows only its number and title at first, and the rest within the next frames if it is
 * still mounted.
 */
export function useProgressiveRow(isLoaded: boolean): boolean {
  const [isReady, setIsReady] = useState(() => canRenderNow() && isLoaded)
  useEffect(() => {
    if (isReady || !isLoaded) return
    const renderInFull = () => setIsReady(true)
    pendingRows.add(renderInFull)
    scheduleFrame()
    return () => void pendingRows.delete(renderInFull)
  }, [isReady, isLoaded])
  return isReady
}

function canRenderNow(): boolean {
  scheduleFrame()
  newRows += 1
  return newRows <= MIN_ROWS_PER_FRAME
}

function scheduleFrame(): void {
  if (frame !== undefined) return
  lastFrameAt = performance.now()
  frame = requestAnimationFrame(renderNextRows)
}

/** Runs once per frame, after its scroll events. While many rows scroll by, pending rows wait. */
function renderNextRows(at: number): void {
  rowsPerFrame =
    at - lastFrameAt > FRAME_BUDGET_MS
      ? MIN_ROWS_PER_FRAME
      : Math.min(MAX_ROWS_PER_FRAME, rowsPerFrame + 2)
  const batch = newRows > MIN_ROWS_PER_FRAME ? [] : [...pendingRows].slice(0, rowsPerFrame)
  lastFrameAt = at
  newRows = 0
  frame = pendingRows.size > 0 ? requestAnimationFrame(renderNextRows) : undefined
  if (batch.length === 0) return
  for (const renderInFull of batch) pendingRows.delete(renderInFull)
  flushSync(() => {
    for (const renderInFull of batch) renderInFull()
  })
}
