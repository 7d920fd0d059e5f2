import { useMemo } from 'react'
import { derive, hasSameItems, useAtom } from '../../lib/state/atom.ts'
import { mutationQueue } from './mutation-queue.ts'
import type { RevisedRecord } from './record-revision.ts'

/** The changes of records other than tasks that the server has not acknowledged. */
const pendingEdits = derive(
  [mutationQueue],
  () =>
    mutationQueue.get().flatMap(({ payload, refusal }) => {
      if (payload.kind === 'undo') return payload.edit ?? []
      return 'base' in payload && !(refusal && payload.kind === 'time-entry-edit') ? payload : []
    }),
  hasSameItems,
)

/** Records with the changes that the server has not acknowledged; the same array if there are none. */
export function useWithPendingPatches<R extends RevisedRecord>(
  records: readonly R[] | undefined,
): readonly R[] | undefined {
  const edits = useAtom(pendingEdits)
  return useMemo(() => records && applyEdits(records, edits), [records, edits])
}

/** The same outside of a component. */
export const withPendingPatches = <R extends RevisedRecord>(records: readonly R[]): readonly R[] =>
  applyEdits(records, pendingEdits.get())

function applyEdits<R extends RevisedRecord>(
  records: readonly R[],
  edits: readonly { base: RevisedRecord; patch: object }[],
): readonly R[] {
  if (!records.some(({ id }) => edits.some(({ base }) => base.id === id))) return records
  return records.map((record) => {
    const own = edits.filter(({ base }) => base.id === record.id)
    return own.length === 0 ? record : Object.assign({}, record, ...own.map(({ patch }) => patch))
  })
}
