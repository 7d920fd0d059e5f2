import type { Ask } from './bad-sink-check.ts'
import type { SimulatedNet } from './simulation-net.ts'

interface Row {
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

const DELIVERIES = `select d.id, d.webhook_id, lane, sequence, status, attempt_count, d.response_status,
    is_test, completed_at, unixepoch(a.started_at, 'subsec') * 1000 + a.duration_ms as fourth_ended,
    exists (select 1 from delivery_attempts u where u.workspace_id = d.workspace_id
      and u.delivery_id = d.id and u.headers = '{}') as unsent
  from deliveries d left join delivery_attempts a on a.workspace_id = d.workspace_id
    and a.delivery_id = d.id and a.number = 4
  order by sequence`

/**
 * What of the deliveries does not agree with what the net saw: successes that never came, ends before
 * the last of so many attempts, and first attempts before those of earlier events were out of the way.
 */
export async function wrongAgainst(
  ask: Ask,
  { begun, received }: SimulatedNet,
  tries: number,
): Promise<string[]> {
  const rows = (await ask(DELIVERIES)) as Row[]
  const wrong = rows.flatMap((row) => {
    const { id, status, response_status, attempt_count, is_test } = row
    if (status === 'succeeded') return received.has(id) ? [] : [`never came: ${id}`]
    // An attempt without headers is one that could not be made.
    const over = response_status === 410 || is_test === 1 || row.unsent === 1
    if (status !== 'failed' || over || attempt_count === tries) return []
    return [`failed after ${attempt_count}: ${id}`]
  })
  const first = new Map<string, number>()
  for (const { delivery, at } of begun) if (!first.has(delivery)) first.set(delivery, at)
  const lanes = Map.groupBy(rows, ({ webhook_id, lane }) => lane && `${webhook_id} ${lane}`)
  for (const [lane, members] of lanes) {
    if (lane === null) continue
    for (const later of members) {
      const at = first.get(later.id)
      for (const earlier of members) {
        if (earlier.sequence >= later.sequence || at === undefined || outOfWay(earlier, at))
          continue
        wrong.push(`${lane}: ${later.sequence} before ${earlier.sequence}`)
      }
    }
  }
  return wrong
}

/** A millisecond is what is lost on the way from the time of an attempt to the text of it. */
function outOfWay({ completed_at, fourth_ended }: Row, at: number): boolean {
  const ended = completed_at === null ? Number.POSITIVE_INFINITY : Date.parse(completed_at)
  return Math.min(ended, fourth_ended ?? Number.POSITIVE_INFINITY) <= at + 1
}
