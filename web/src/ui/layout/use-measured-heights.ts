import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'

/**
 * Measures the heights of rows when they are rendered and whenever they change.
 *
 * @param heights Receives the heights in px, by row.
 * @param getRow The row of an element.
 * @param handleChange Called when heights have changed.
 * @returns A callback for `ref` of each row.
 */
export function useMeasuredHeights<Key>(
  heights: Map<Key, number>,
  getRow: (element: HTMLElement) => Key,
  handleChange: () => void,
) {
  const latest = useRef({ getRow, handleChange })
  latest.current = { getRow, handleChange }
  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let hasChanged = false
        for (const { target, borderBoxSize } of entries) {
          const height = borderBoxSize[0]?.blockSize ?? 0
          // A row that was removed from the document has no height.
          if (!(target instanceof HTMLElement) || !height) continue
          const row = latest.current.getRow(target)
          if (heights.get(row) === height) continue
          heights.set(row, height)
          hasChanged = true
        }
        if (hasChanged) latest.current.handleChange()
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
