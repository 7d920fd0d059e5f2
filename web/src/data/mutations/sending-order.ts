import { HOUR_MS } from '#lib/durations.ts'
import type { MutationLogDeps, QueuedMutation } from './mutation-entry.ts'

/**
 * Older mutations wait for the person. The server forgets a key after 24 hours
 * (docs/spec/api.md#idempotency-key); the rest is for clocks that are wrong by hours.
 */
const MAX_UNASKED_AGE_MS = 12 * HOUR_MS
/** How long an old mutation may be sent after the person has asked for it. */
const APPROVAL_TTL_MS = 10 * 60 * 1000

/** The waiting mutations that no earlier one blocks and whose first write to the storage has ended. */
export function findDueMutations<P>(
  entries: readonly QueuedMutation<P>[],
  discarding: ReadonlySet<string>,
  blockingKeysOf: MutationLogDeps<P>['blockingKeysOf'],
): QueuedMutation<P>[] {
  // One that is held blocks only newer ones: it may wait for an earlier one, which the person has
  // asked to send again.
  const active = entries.filter(({ state }) => state === 'sending')
  const blocked = new Set(active.flatMap(blockingKeysOf))
  return entries.filter((one) => {
    if (one.state === 'reserved' || one.refusal || discarding.has(one.key)) return false
    const keys = blockingKeysOf(one)
    const isFirst = !keys.some((key) => blocked.has(key))
    for (const key of keys) blocked.add(key)
    return isFirst && one.state === 'waiting' && one.storage !== 'storing'
  })
}

/** Whether a mutation may be sent only after the person has asked for it. */
export function isTooOldUnasked<P>(
  { madeAt, approvedAt }: QueuedMutation<P>,
  now: number,
): boolean {
  // A time in the future is from a clock that was set back, so the age is unknown.
  const isWithin = (at: number, ms: number) => at <= now && now - at <= ms
  return !isWithin(madeAt, MAX_UNASKED_AGE_MS) && !isWithin(approvedAt, APPROVAL_TTL_MS)
}
