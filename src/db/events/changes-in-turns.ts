import { setImmediate } from 'node:timers/promises'
import {
  type PendingChange,
  splitByOperation,
  toChanges,
  type UnnumberedChange,
} from '#core/changes/pending-change.ts'

/**
 * The same as `toChanges` in several turns of the event loop: for the largest bulk request it takes
 * half a second.
 */
export async function toChangesInTurns(
  pending: readonly PendingChange[],
  actor_id: string | null,
): Promise<UnnumberedChange[]> {
  const changes: UnnumberedChange[] = []
  for (const part of splitByOperation(pending)) {
    if (changes.length > 0) await setImmediate()
    for (const change of toChanges(part, actor_id)) changes.push(change)
  }
  return changes
}
