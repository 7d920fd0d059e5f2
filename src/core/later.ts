import { timestampOf } from '#lib/clock.ts'
import type { ReadTx } from './tx.ts'

/** The new `updated_at` of a record: now, or just after its last one, so that it strictly increases. */
export const later = ({ instant }: ReadTx, previous: string): string =>
  timestampOf(Math.max(instant, Date.parse(previous) + 1))
