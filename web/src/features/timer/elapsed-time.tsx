import { useEffect, useState } from 'react'
import { formatTimer } from '../../lib/dates/duration.ts'
import { elapsedSeconds } from '../../lib/dates/elapsed.ts'

/** The time since a timer was started, updated each second: "0:42:10". */
export function ElapsedTime({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const interval = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(interval)
  }, [])
  return (
    <span className="mono" aria-live="off">
      {formatTimer(elapsedSeconds(since, now))}
    </span>
  )
}
