import { useMemo } from 'react'
import { atom, useAtom } from '../../lib/state/atom.ts'
import type { QueuedMutation } from './mutation-entry.ts'
import { mutationQueue } from './mutation-queue.ts'
import type { StoredMutation } from './stored-mutation.ts'

/** A change of a record other than a task that the server has not acknowledged. */
interface PendingPatch {
  key: string
  id: string
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
  return [{ key, id: payload.base.id, fields: payload.patch }]
}

/**
 * Records with the changes that the server has not acknowledged; the same array if there are none.
 * A list that is read anew, or comes from the offline cache, does not hide them.
 */
export function useWithPendingPatches<R extends { id: string }>(
  records: readonly R[] | undefined,
): readonly R[] | undefined {
  const patches = useAtom(pendingPatches)
  return useMemo(() => records && applyPatches(records, patches), [records, patches])
}

/** The same outside of a component. */
export const withPendingPatches = <R extends { id: string }>(records: readonly R[]): readonly R[] =>
  applyPatches(records, pendingPatches.get())

function applyPatches<R extends { id: string }>(
  records: readonly R[],
  patches: readonly PendingPatch[],
): readonly R[] {
  if (!records.some(({ id }) => patches.some((patch) => patch.id === id))) return records
  return records.map((record) => {
    const own = patches.filter(({ id }) => id === record.id)
    return own.length === 0 ? record : Object.assign({}, record, ...own.map(({ fields }) => fields))
  })
}
