import { startTransition, useEffect, useState } from 'react'

/** More rows than a tall window shows. */
const FIRST_ROWS = 40

/**
 * How many of the rows of a list to render: those of the first screen, and once they are painted all
 * of them. Rendering a hundred rows at once would keep a slow device from showing any. A list that has
 * its rows from the beginning, for instance after going back, renders all, because its scroll position
 * is restored.
 */
export function useRenderedRows(count: number): number {
  const [isLimited, setIsLimited] = useState(count === 0)
  const hasRows = count > 0
  useEffect(() => {
    if (hasRows) startTransition(() => setIsLimited(false))
  }, [hasRows])
  return isLimited ? Math.min(count, FIRST_ROWS) : count
}
