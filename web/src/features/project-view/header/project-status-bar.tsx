import { liveState } from '../../../data/live/live-updates.ts'
import { useOnline } from '../../../lib/browser/online.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import '../../../ui/layout/status-bar.css'
import type { ReactNode } from 'react'

/** The status bar: the number of shown tasks, their sums, and the state of the live connection. */
export function ProjectStatusBar({
  list,
  loadMore,
}: {
  list: ProjectList | undefined
  /** Reads more of what the server finds; undefined if that is all. */
  loadMore?: (() => void) | undefined
}) {
  return (
    <StatusBar count={list ? formatNumber(list.total) : ''} end={<LiveState />}>
      {list && formatSums(list)}{' '}
      {loadMore && (
        <button type="button" className="link" onClick={loadMore}>
          {projectViewMessages.loadMore}
        </button>
      )}
    </StatusBar>
  )
}

function formatSums({ total, open, time_spent_seconds, estimate_seconds }: ProjectList): string {
  const counted = projectViewMessages.counted(total, open)
  if (time_spent_seconds === 0 && estimate_seconds === 0) return counted
  return projectViewMessages.summed(
    counted,
    formatDuration(time_spent_seconds),
    formatDuration(estimate_seconds),
  )
}

/** The `data-s` values of the lamp in styles/parts.css. */
const LAMP_BY_STATE = { live: 'ok', connecting: 'disabled', paused: 'failing' } as const

function LiveState() {
  const stream = useAtom(liveState)
  // A browser keeps a stream open for a while that nothing can arrive by.
  const state = useOnline() ? stream : 'paused'
  const labels = {
    live: projectViewMessages.live,
    connecting: projectViewMessages.connecting,
    paused: projectViewMessages.paused,
  }
  return (
    <>
      <span className="lamp" data-s={LAMP_BY_STATE[state]} aria-hidden="true" />
      {labels[state]}
    </>
  )
}

interface StatusBarProps {
  /** The count in the gutter. */
  count: ReactNode
  /** Describes the counted items: "tasks, 25 open, 445:10 spent of 472:30 estimated". */
  children: ReactNode
  /** Content at the end: the live indicator. */
  end?: ReactNode
}

/** The last line of a screen: totals and the live indicator. */
const StatusBar = ({ count, children, end }: StatusBarProps) => (
  <footer className="status">
    <span className="gut">{count}</span>
    <span>{children}</span>
    {end && <span className="end">{end}</span>}
  </footer>
)
