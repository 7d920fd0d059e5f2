import { useEffect, useState } from 'react'
import { m } from '../messages/ui.ts'

const WAIT_MS = 120
const WIDTHS = [62, 44, 71, 53, 38, 66, 49]

/** Whether so long has passed that the viewer should see that something is coming. */
function useLate(ms: number = WAIT_MS): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return late
}

/** What will be rows or lines, at their final height; nothing is seen of it for the first 120 ms. */
export function Skeleton({ rows, lines = 3 }: { rows?: number; lines?: number }) {
  const late = useLate()
  return (
    <div className={rows === undefined ? 'bones text' : 'bones'} data-late={late || undefined}>
      <span className="sr" role="status">
        {late && m.loading}
      </span>
      {Array.from({ length: rows ?? lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
        <div key={at} className="bone line" aria-hidden="true">
          <span className="gut" />
          <span>
            <i style={{ inlineSize: `${WIDTHS[at % WIDTHS.length]}%` }} />
          </span>
        </div>
      ))}
    </div>
  )
}
