import { type Accept, listOf, type SimulatedRecords, toTimestamp } from './simulated-records.ts'
import type { SimulatedReply, SimulatedRequest } from './simulated-server.ts'

/** Something in the inbox of a person. */
export interface SimulatedNotification {
  id: string
  read_at: string | null
  done_at: string | null
  snoozed_until: string | null
  created_at: string
}

/** Lists the inbox of a person, or changes what is in it. */
export function handleNotifications(
  records: SimulatedRecords,
  { method, text, person }: SimulatedRequest,
  now: number,
  accept: Accept,
): SimulatedReply {
  const own = [...records.notifications.values()].filter((one) => one.person === person)
  if (method === 'GET') return listOf(own)
  const { ids, done, read }: { ids: string[]; done?: boolean; read?: boolean } = JSON.parse(text)
  const time = toTimestamp(now)
  for (const one of own) {
    if (!ids.includes(one.id)) continue
    accept(one.id)
    records.notifications.set(one.id, {
      ...one,
      ...(read !== undefined && { read_at: read ? time : null }),
      ...(done === true && { done_at: time, read_at: time }),
      ...(done === false && { done_at: null }),
    })
  }
  return { status: 200, body: { ids, unread: 0 } }
}
