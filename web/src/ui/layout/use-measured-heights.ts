import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'

interface MeasuredHeightsOptions<Key> {
  /** Receives the heights in px, by row. */
  heights: Map<Key, number>
  /** The row of an element. */
  getRow: (element: HTMLElement) => Key
  /** The height in px that rows without a measured one are laid out with: to measure just this is no change. */
  getAssumed?: () => number
  /** Called when heights differ from those that were measured or assumed before. */
  handleChange: () => void
}

/**
 * Measures the heights of rows when they are rendered and whenever they change.
 *
 * @returns A callback for `ref` of each row, or for an effect whenever an element shows another row. It
 *   returns what ends measuring.
 */
export function useMeasuredHeights<Key>({ heights, ...options }: MeasuredHeightsOptions<Key>) {
  const latest = useRef(options)
  latest.current = options
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const { getRow, getAssumed, handleChange } = latest.current
        const assumed = getAssumed?.()
        let hasChanged = false
        for (const { target, borderBoxSize } of entries) {
          const height = borderBoxSize[0]?.blockSize ?? 0
          // A row that was removed from the document has no height.
          if (!(target instanceof HTMLElement) || !height) continue
          const row = getRow(target)
          if (height !== (heights.get(row) ?? assumed)) hasChanged = true
          heights.set(row, height)
        }
        if (hasChanged) handleChange()
      }),
    [heights],
  )
  useLayoutEffect(() => () => observer.disconnect(), [observer])
  return useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined
      observer.observe(element)
      return () => observer.unobserve(element)
    },
    [observer],
  )
}
