import { useEffect, useState } from 'react'
import { secondsOf } from '../../data/timer.ts'
import { timerOf } from '../../lib/duration.ts'

/** How long a timer has been running, counting on: "0:42:10". */
export function TimerTime({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(ticking)
  }, [])
  return (
    <span className="mono" aria-live="off">
      {timerOf(secondsOf(since, Math.max(now, Date.parse(since))))}
    </span>
  )
}
