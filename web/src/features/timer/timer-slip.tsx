import './timer-slip.css'
import { Link, useParams } from '@tanstack/react-router'
import { stopTimer, useTimer } from '../../data/resources/timer.ts'
import { bannerMessages } from '../../messages/app/banners.ts'
import { IconButton } from '../../ui/form/button.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'
import { ElapsedTime } from './elapsed-time.tsx'

/** The person's running timer, with its task and a button that stops it; nothing without one. */
export function TimerSlip({ className }: { className: string }) {
  const timer = useTimer()
  const { workspaceId } = useParams({ from: '/w/$workspaceId' })
  if (!timer) return null
  const { entry, task } = timer
  const params = { workspaceId, shortId: task.short_id }
  return (
    <section className={`timer-line ${className}`} aria-label={bannerMessages.runningTimer}>
      <IconButton icon="stop" label={bannerMessages.stopTimer} onClick={stopTimer} />
      <ElapsedTime since={entry.started_at} />
      <Link to="/w/$workspaceId/t/$shortId" params={params} search={{}}>
        <span>
          <ShortId id={task.short_id} />
        </span>
        <span className="clip">{task.title}</span>
      </Link>
    </section>
  )
}
