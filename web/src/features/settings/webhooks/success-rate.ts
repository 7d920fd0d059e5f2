import { DAY_MS } from '#lib/durations.ts'
import type { Delivery } from '#resources/deliveries/contract.ts'

type RatedDelivery = Pick<Delivery, 'status' | 'is_test' | 'created_at' | 'completed_at'>

/** The counted deliveries; `isPartial` if there were more within the 24 hours. */
interface SuccessCount {
  ok: number
  all: number
  isPartial: boolean
}

/**
 * The successful and all deliveries that ended within the last 24 hours, without tests, of the
 * newest page of deliveries.
 */
export function countSuccesses(
  { data, next_cursor }: { data: readonly RatedDelivery[]; next_cursor: string | null },
  now: number = Date.now(),
): SuccessCount {
  const ended = data.filter(
    ({ status, is_test, completed_at }) =>
      !is_test &&
      (status === 'succeeded' || status === 'failed') &&
      completed_at !== null &&
      now - Date.parse(completed_at) < DAY_MS,
  )
  const oldest = data.at(-1)
  return {
    ok: ended.filter(({ status }) => status === 'succeeded').length,
    all: ended.length,
    isPartial:
      next_cursor !== null && oldest !== undefined && now - Date.parse(oldest.created_at) < DAY_MS,
  }
}
