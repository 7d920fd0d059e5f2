import { conflict } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { MOST_BLOCKED } from '../fields.ts'
import { countBlocked, waitsFor } from '../links.ts'
import { tasksAmong } from '../related.ts'
import type { ChangedSet } from './sets.ts'

/** Notes each new blocker that is unknown, the task itself, or waits for it. `id` is null for a new task. */
export async function checkBlockers(
  tx: ReadTx,
  id: string | null,
  { gained }: ChangedSet,
  faults: Fault[],
): Promise<void> {
  if (gained.length === 0) return
  const ids = gained.map((one) => one.id)
  const known = new Set((await tx.all(tasksAmong, { ids })).map((task) => task.id))
  for (const { id: blocker, path } of gained) {
    if (blocker === id) faults.push(fault(path, 'cycle', 'cannot be the task itself'))
    else if (!known.has(blocker)) {
      faults.push(fault(path, 'invalid_reference', 'must be a task that you see'))
    }
  }
  if (id === null || ids.includes(id)) return
  for (const { id: blocker, path } of gained) {
    if (!(await tx.one(waitsFor, { id, from: [blocker] }))) continue
    faults.push(fault(path, 'cycle', 'waits for the task itself'))
  }
}

/** Refuses when a blocker would block too many. */
export async function refuseTooManyBlocked(tx: ReadTx, { gained }: ChangedSet): Promise<void> {
  for (const { id } of gained) {
    const { count } = (await tx.one(countBlocked, { id })) ?? { count: 0 }
    if (count < MOST_BLOCKED) continue
    throw conflict('limit_reached', `A task blocks at most ${MOST_BLOCKED} tasks.`)
  }
}
