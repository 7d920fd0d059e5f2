import type { Intention } from '../intentions.ts'
import type { SimulatedWorld } from '../simulated-world.ts'

/** A stop that is sent at once counts when it arrives: at most so much later than its click. */
const MAX_DELAY_MS = 70_000

/** A timer ends at its stop, whatever has ended it since, unless somebody has edited its time. */
export function findLateEnds(
  { key, payload, browser, madeAt, isDiscarded }: Intention,
  { server, intentions }: SimulatedWorld,
): string[] {
  if (payload.kind !== 'timer-stop' || isDiscarded || !browser.hasRightClock) return []
  const { id } = payload.running.entry
  const start = intentions.get(id.slice('start '.length))
  const created = server.accepted.find((one) => one.key === start?.key)?.target
  const entry = server.records.timeEntries.get(created ?? id)
  const isUnsent = browser.page.engine.mutationQueue.get().some((one) => one.key === key)
  if (!entry?.started_at || !entry.ended_at || isUnsent || browser.unstored.has(key)) return []
  const isExplained = browser.messages.some(
    ({ at, text }) => at >= madeAt && text.includes('Timer'),
  )
  const isEdited = server.records.changes.some((one) => one.id === entry.id)
  // The start may have counted when it arrived, after the click of the stop.
  if (isExplained || isEdited || entry.started_at >= payload.ended_at) return []
  const isLate = Date.parse(entry.ended_at) > Date.parse(payload.ended_at) + MAX_DELAY_MS
  return isLate ? [`${entry.id} ends at ${entry.ended_at}, but ${key} at ${payload.ended_at}`] : []
}
