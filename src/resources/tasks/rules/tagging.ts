import type { ReadTx } from '#core/tx.ts'
import { type Fault, fault } from '#wire/fault.ts'
import { tagsAmong, tagsOfSameNames } from '../related.ts'
import type { ChangedSet } from './sets.ts'

/** Notes each new tag that is not one of the project. */
export async function checkTags(
  tx: ReadTx,
  project_id: string,
  { gained }: ChangedSet,
  faults: Fault[],
): Promise<void> {
  if (gained.length === 0) return
  const ids = gained.map(({ id }) => id)
  const known = new Set((await tx.all(tagsAmong, { project_id, ids })).map(({ id }) => id))
  for (const { id, path } of gained) {
    if (!known.has(id)) faults.push(fault(path, 'not_in_project', 'must be a tag of the project'))
  }
}

/** The tags of another project that have the names of these. */
export async function mappedTags(tx: ReadTx, project_id: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  return (await tx.all(tagsOfSameNames, { project_id, ids })).map(({ id }) => id).toSorted()
}
