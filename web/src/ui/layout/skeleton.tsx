import './skeleton.css'
import { useEffect, useState } from 'react'
import { uiMessages } from '../../messages/app/ui.ts'

const APPEAR_DELAY_MS = 120
/** Percent of the line, so that the placeholders look like text. */
const LINE_WIDTHS = [62, 44, 71, 53, 38, 66, 49]

/** Returns true after a delay, so that fast responses show no placeholder. */
function useDelay(ms: number = APPEAR_DELAY_MS): boolean {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}

/** Placeholder rows or lines at their final height, visible after a delay. */
export function Skeleton({ rows, lines = 3 }: { rows?: number; lines?: number }) {
  const isDelayed = useDelay()
  return (
    <div className={rows === undefined ? 'bones text' : 'bones'} data-late={isDelayed || undefined}>
      <span className="sr" role="status">
        {isDelayed && uiMessages.loading}
      </span>
      {Array.from({ length: rows ?? lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical and never move
        <div key={at} className="bone line" aria-hidden="true">
          <span className="gut" />
          <span>
            <i style={{ inlineSize: `${LINE_WIDTHS[at % LINE_WIDTHS.length]}%` }} />
          </span>
        </div>
      ))}
    </div>
  )
}
