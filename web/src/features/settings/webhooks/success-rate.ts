import { DAY_MS } from '#lib/durations.ts'
import type { Delivery } from '#resources/deliveries/contract.ts'

type RatedDelivery = Pick<
  Delivery,
  'status' | 'is_test' | 'attempt_count' | 'created_at' | 'completed_at'
>

/** The counted deliveries; `isPartial` if there were more within the 24 hours. */
interface SuccessCount {
  ok: number
  all: number
  isPartial: boolean
}

/**
 * The successful deliveries and all that ended within the last 24 hours or are being retried, without
 * tests, of the newest page of deliveries.
 */
export function countSuccesses(
  { data, next_cursor }: { data: readonly RatedDelivery[]; next_cursor: string | null },
  now: number = Date.now(),
): SuccessCount {
  const counted = data.filter(
    ({ status, is_test, attempt_count, completed_at }) =>
      !is_test &&
      status !== 'canceled' &&
      (completed_at === null ? attempt_count > 0 : now - Date.parse(completed_at) < DAY_MS),
  )
  const oldest = data.at(-1)
  return {
    ok: counted.filter(({ status }) => status === 'succeeded').length,
    all: counted.length,
    isPartial:
      next_cursor !== null && oldest !== undefined && now - Date.parse(oldest.created_at) < DAY_MS,
  }
}
