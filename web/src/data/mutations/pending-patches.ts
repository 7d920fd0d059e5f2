import { useMemo } from 'react'
import { derive, hasSameItems, useAtom } from '../../lib/state/atom.ts'
import { createdRecords } from '../resources/pending-creations.ts'
import { mutationQueue } from './mutation-queue.ts'

type PendingWrite = Edit | { kind: 'deletion'; id: string }
type Edit = { base: { readonly id: string }; patch: object }

/** The changes and deletions of records other than tasks that are not acknowledged. */
const pendingWrites = derive(
  [mutationQueue, createdRecords],
  () =>
    mutationQueue.get().flatMap(({ payload, refusal }): PendingWrite[] => {
      if (payload.kind === 'deletion') return [payload]
      if (payload.kind === 'undo') {
        const id = createdRecords.get().get(payload.of)
        const { edit } = payload
        return [...(edit ? [edit] : []), ...(id ? [{ kind: 'deletion', id } as const] : [])]
      }
      return 'base' in payload && !(refusal && payload.kind === 'time-entry-edit') ? [payload] : []
    }),
  hasSameItems,
)

/** Whether the person has deleted a record, and the server has not acknowledged that. */
export const hasPendingDeletion = (id: string): boolean =>
  pendingWrites.get().some((write) => !('base' in write) && write.id === id)

/** Records with the pending changes, and without what is being deleted; the same array if there are none. */
export function useWithPendingPatches<R extends { readonly id: string }>(
  records: readonly R[] | undefined,
): readonly R[] | undefined {
  const writes = useAtom(pendingWrites)
  return useMemo(() => records && applyWrites(records, writes), [records, writes])
}

/** The same outside of a component. */
export const withPendingPatches = <R extends { readonly id: string }>(
  records: readonly R[],
): readonly R[] => applyWrites(records, pendingWrites.get())

function applyWrites<R extends { readonly id: string }>(
  records: readonly R[],
  writes: readonly PendingWrite[],
): readonly R[] {
  const byId = Map.groupBy(writes, (write) => ('base' in write ? write.base.id : write.id))
  if (!records.some(({ id }) => byId.has(id))) return records
  return records.flatMap((record) => {
    const own = byId.get(record.id) ?? []
    if (own.some((write) => !('base' in write))) return []
    const patches = own.map((write) => ('patch' in write ? write.patch : {}))
    return own.length === 0 ? record : Object.assign({}, record, ...patches)
  })
}
