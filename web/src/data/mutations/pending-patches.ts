import { useMemo } from 'react'
import { atom, useAtom } from '../../lib/state/atom.ts'
import type { QueuedMutation } from './mutation-entry.ts'
import { mutationQueue } from './mutation-queue.ts'
import type { RevisedRecord } from './record-revision.ts'
import type { StoredMutation } from './stored-mutation.ts'

/** A change of a record other than a task that the server has not acknowledged. */
interface PendingPatch {
  key: string
  base: RevisedRecord
  fields: object
}

const pendingPatches = atom<readonly PendingPatch[]>([])

mutationQueue.subscribe(() => {
  const patches = mutationQueue.get().flatMap(toPatch)
  const before = pendingPatches.get()
  const isSame = patches.every(({ key }, at) => key === before[at]?.key)
  if (!isSame || patches.length !== before.length) pendingPatches.set(patches)
})

function toPatch({ key, payload, refusal }: QueuedMutation<StoredMutation>): PendingPatch[] {
  if (!('base' in payload) || (refusal && payload.kind === 'time-entry-edit')) return []
  return [{ key, base: payload.base, fields: payload.patch }]
}

/**
 * Records with the changes that the server has not acknowledged; the same array if there are none.
 * A list that is read anew, or comes from the offline cache, does not hide them.
 */
export function useWithPendingPatches<R extends RevisedRecord>(
  records: readonly R[] | undefined,
): readonly R[] | undefined {
  const patches = useAtom(pendingPatches)
  return useMemo(() => records && applyPatches(records, patches), [records, patches])
}

/** The same outside of a component. */
export const withPendingPatches = <R extends RevisedRecord>(records: readonly R[]): readonly R[] =>
  applyPatches(records, pendingPatches.get())

/**
 * What a patch hides may have been changed by somebody else since, so the record has the revision
 * from which its patches were made: another change that starts from it must not overwrite that.
 */
function applyPatches<R extends RevisedRecord>(
  records: readonly R[],
  patches: readonly PendingPatch[],
): readonly R[] {
  if (!records.some(({ id }) => patches.some(({ base }) => base.id === id))) return records
  return records.map((record) => {
    const own = patches.filter(({ base }) => base.id === record.id)
    if (own.length === 0) return record
    const [updated_at] = [record, ...own.map(({ base }) => base)]
      .map((one) => one.updated_at)
      .sort()
    return Object.assign({}, record, ...own.map(({ fields }) => fields), { updated_at })
  })
}
