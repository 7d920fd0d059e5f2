import { lastChange, liveState } from '../../data/live.ts'
import type { ProjectIndex } from '../../data/project-index.ts'
import { clockOf } from '../../lib/duration.ts'
import { timeOf } from '../../lib/instant.ts'
import { useSignal } from '../../lib/signal.ts'
import { number } from '../../messages/plural.ts'
import { m } from '../../messages/tasks.ts'
import { StatusBar } from '../../ui/status-bar.tsx'

/** The last line of the screen: how many tasks are shown, their sums, and whether it is live. */
export function Sums({ index }: { index: ProjectIndex | undefined }) {
  return (
    <StatusBar count={index ? number(index.total) : ''} end={<Live />}>
      {index && summed(index)}
    </StatusBar>
  )
}

const summed = ({ total, open, time_spent_seconds, estimate_seconds }: ProjectIndex): string =>
  m.summed(total, open, clockOf(time_spent_seconds), clockOf(estimate_seconds))

/** The lamps of styles/parts.css: lit, ringed, out. */
const LAMPS = { live: 'ok', connecting: 'disabled', paused: 'failing' } as const

function Live() {
  const state = useSignal(liveState)
  const at = useSignal(lastChange)
  const words = {
    live: m.live(at === undefined ? undefined : timeOf(new Date(at).toISOString())),
    connecting: m.connecting,
    paused: m.paused,
  }
  return (
    <>
      <span className="lamp" data-s={LAMPS[state]} aria-hidden="true" />
      {words[state]}
    </>
  )
}
