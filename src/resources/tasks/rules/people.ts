import type { ReadTx } from '#core/tx.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { ChangedSet } from './sets.ts'

/** Notes each new assignee who is no active member or does not see the project. */
export async function checkAssignees(
  tx: ReadTx,
  project_id: string,
  { gained }: ChangedSet,
  faults: Fault[],
): Promise<void> {
  const seeing = await activeMembersSeeing(
    tx,
    project_id,
    gained.map(({ id }) => id),
  )
  for (const { id, path } of gained) {
    if (seeing.has(id)) continue
    faults.push(fault(path, 'not_a_member', 'must be an active member who sees the project'))
  }
}
