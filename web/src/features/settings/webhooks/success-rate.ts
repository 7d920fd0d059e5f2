import type { Delivery } from '#resources/deliveries/contract.ts'

const DAY_MS = 86_400_000

/** The successful and all deliveries that ended within the last 24 hours, without tests. */
export function countSuccesses(
  deliveries: readonly Pick<Delivery, 'status' | 'is_test' | 'completed_at'>[],
  now: number = Date.now(),
): { ok: number; all: number } {
  const ended = deliveries.filter(
    ({ status, is_test, completed_at }) =>
      !is_test &&
      (status === 'succeeded' || status === 'failed') &&
      completed_at !== null &&
      now - Date.parse(completed_at) < DAY_MS,
  )
  return { ok: ended.filter(({ status }) => status === 'succeeded').length, all: ended.length }
}
