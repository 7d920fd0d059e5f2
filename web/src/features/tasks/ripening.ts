import { useEffect, useReducer, useRef } from 'react'

/** So many rows are drawn in full within one frame, on a slow machine, too. */
const A_FRAME = 4

/**
 * Which of the rows in view are drawn in full: many that appear at once, by fast scrolling, first show number and
 * title and get the rest over the next frames.
 */
export function useRipening(numbers: readonly number[]): ReadonlySet<number> {
  const ripe = useRef<ReadonlySet<number>>(new Set())
  const [, again] = useReducer((n: number) => n + 1, 0)
  const old = numbers.filter((number) => ripe.current.has(number))
  const fresh = numbers.filter((number) => !ripe.current.has(number))
  const shown = new Set([...old, ...fresh.slice(0, A_FRAME)])
  const left = fresh.length > A_FRAME
  useEffect(() => {
    ripe.current = shown
    if (!left) return
    const frame = requestAnimationFrame(again)
    return () => cancelAnimationFrame(frame)
  })
  return shown
}
