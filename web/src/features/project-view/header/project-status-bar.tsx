import { lastChangeAt, liveState } from '../../../data/live/live-updates.ts'
import { useOnline } from '../../../lib/browser/online.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { StatusBar } from '../../../ui/layout/status-bar.tsx'
import type { ProjectList } from '../grouping/project-list.ts'

/** The status bar: the number of shown tasks, their sums, and the state of the live connection. */
export function ProjectStatusBar({ list }: { list: ProjectList | undefined }) {
  return (
    <StatusBar count={list ? formatNumber(list.total) : ''} end={<LiveState />}>
      {list && formatSums(list)}
    </StatusBar>
  )
}

const formatSums = ({ total, open, time_spent_seconds, estimate_seconds }: ProjectList): string =>
  projectViewMessages.summed(
    total,
    open,
    formatDuration(time_spent_seconds),
    formatDuration(estimate_seconds),
  )

/** The `data-s` values of the lamp in styles/parts.css. */
const LAMP_BY_STATE = { live: 'ok', connecting: 'disabled', paused: 'failing' } as const

function LiveState() {
  const stream = useAtom(liveState)
  // A browser keeps a stream open for a while that nothing can arrive by.
  const state = useOnline() ? stream : 'paused'
  const changedAt = useAtom(lastChangeAt)
  const labels = {
    live: projectViewMessages.live(
      changedAt === undefined ? undefined : formatTime(new Date(changedAt).toISOString()),
    ),
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
