import type { RunSql } from './check-deliveries.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

interface SimulatedDeliveryRow {
  id: string
  webhook_id: string
  lane: string | null
  sequence: number
  status: string
  attempt_count: number
  response_status: number | null
  is_test: number
  completed_at: string | null
  fourth_ended: number | null
  unsent: number
}

const DELIVERIES_SQL = `select d.id, d.webhook_id, lane, sequence, status, attempt_count, d.response_status,
    is_test, completed_at, unixepoch(a.started_at, 'subsec') * 1000 + a.duration_ms as fourth_ended,
    exists (select 1 from delivery_attempts u where u.workspace_id = d.workspace_id
      and u.delivery_id = d.id and u.headers = '{}') as unsent
  from deliveries d left join delivery_attempts a on a.workspace_id = d.workspace_id
    and a.delivery_id = d.id and a.number = 4
  order by sequence`

/**
 * Compares the deliveries with the record of the network. Finds successes that never arrived,
 * failures before the last attempt, and first attempts while earlier events of the lane still
 * blocked them.
 */
export async function findSimulationFaults(
  runSql: RunSql,
  { startedAttempts, received }: SimulatedNetwork,
  maxAttempts: number,
): Promise<string[]> {
  const rows = (await runSql(DELIVERIES_SQL)) as SimulatedDeliveryRow[]
  const wrong = rows.flatMap((row) => {
    const { id, status, response_status, attempt_count, is_test } = row
    if (status === 'succeeded') return received.has(id) ? [] : [`never came: ${id}`]
    // An attempt without headers was never sent.
    const mayEndEarly = response_status === 410 || is_test === 1 || row.unsent === 1
    if (status !== 'failed' || mayEndEarly || attempt_count === maxAttempts) return []
    return [`failed after ${attempt_count}: ${id}`]
  })
  const firstAttempts = new Map<string, number>()
  for (const { delivery, at } of startedAttempts)
    if (!firstAttempts.has(delivery)) firstAttempts.set(delivery, at)
  const lanes = Map.groupBy(rows, ({ webhook_id, lane }) => lane && `${webhook_id} ${lane}`)
  for (const [lane, members] of lanes) {
    if (lane === null) continue
    for (const later of members) {
      const at = firstAttempts.get(later.id)
      for (const earlier of members) {
        if (earlier.sequence >= later.sequence || at === undefined || hasUnblocked(earlier, at))
          continue
        wrong.push(`${lane}: ${later.sequence} before ${earlier.sequence}`)
      }
    }
  }
  return wrong
}

/** Allows one millisecond, which the text of a time may lose against its number. */
function hasUnblocked({ completed_at, fourth_ended }: SimulatedDeliveryRow, at: number): boolean {
  const ended = completed_at === null ? Number.POSITIVE_INFINITY : Date.parse(completed_at)
  return Math.min(ended, fourth_ended ?? Number.POSITIVE_INFINITY) <= at + 1
}
