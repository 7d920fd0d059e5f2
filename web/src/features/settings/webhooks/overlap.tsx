import { useEffect, useState } from 'react'
import { formatDuration } from '../../../lib/duration.ts'
import { m } from '../../../messages/webhooks.ts'

const STEP_MS = 30_000

/** How long the secret before still signs, too; nothing where it does not. */
export function Overlap({ until }: { until: string | null }) {
  const [now, setNow] = useState(Date.now)
  const left = until === null ? 0 : Date.parse(until) - now
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), STEP_MS)
    return () => clearInterval(timer)
  }, [isOver])
  if (isOver) return null
  return (
    <div className="line entry">
      <span className="gut" />
      <p>{m.overlapLeft(formatDuration(left / 1000))}</p>
    </div>
  )
}
