import type { ReadTx } from '#core/tx.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Place } from '../place.ts'
import { tasksAmong } from '../related.ts'

/** The place that is asked for, if any; notes a neighbour that cannot be one. */
export async function checkPlace(
  tx: ReadTx,
  id: string | null,
  project_id: string,
  { before_id, after_id }: { before_id?: string; after_id?: string },
  faults: Fault[],
): Promise<Pick<Place, 'side' | 'beside'> | undefined> {
  const wanted = before_id ?? after_id
  if (wanted === undefined) return undefined
  const field = before_id === undefined ? 'after_id' : 'before_id'
  const [beside] = wanted === id ? [] : await tx.all(tasksAmong, { ids: [wanted] })
  if (!beside) faults.push(fault(field, 'invalid_reference', 'must be another task that you see'))
  else if (beside.project_id !== project_id) {
    faults.push(fault(field, 'not_in_project', 'must be a task of the same project'))
  }
  return beside && { side: before_id === undefined ? 'after' : 'before', beside }
}
