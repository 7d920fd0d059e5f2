import { timestampOf } from '#lib/clock.ts'
import type { ReadTx } from './transaction.ts'

/**
 * The new `updated_at` of a record: now, or 1 ms after the previous one, so that it always
 * increases.
 */
export const nextUpdatedAt = ({ nowMs }: ReadTx, previous: string): string =>
  timestampOf(Math.max(nowMs, Date.parse(previous) + 1))
