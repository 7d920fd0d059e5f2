import { useEffect, useState } from 'react'
import { timerOf } from '../../lib/duration.ts'
import { elapsed } from '../../lib/elapsed.ts'

/** How long a timer has been running, counting on: "0:42:10". */
export function TimerTime({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  return (
    <span className="mono" aria-live="off">
      {timerOf(elapsed(since, now))}
    </span>
  )
}
