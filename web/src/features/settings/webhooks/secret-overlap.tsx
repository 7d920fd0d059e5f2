import { useEffect, useState } from 'react'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { webhookMessages } from '../../../messages/settings/webhooks.ts'

const UPDATE_INTERVAL_MS = 30_000

/** The remaining time in which the previous secret still signs, too; nothing after that. */
export function SecretOverlap({ until }: { until: string | null }) {
  const [now, setNow] = useState(Date.now)
  const remainingMs = until === null ? 0 : Date.parse(until) - now
  const isOver = remainingMs <= 0
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), UPDATE_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isOver])
  if (isOver) return null
  return (
    <div className="line entry">
      <span className="gut" />
      <p>{webhookMessages.overlapLeft(formatDuration(remainingMs / 1000))}</p>
    </div>
  )
}
