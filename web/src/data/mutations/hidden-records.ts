import { derive, hasSameItems } from '../../lib/state/atom.ts'
import { mutationQueue } from './mutation-queue.ts'

/** The ids of records whose deletion can still be undone, or is not acknowledged yet. */
export const hiddenRecords = derive(
  [mutationQueue],
  (): ReadonlySet<string> =>
    new Set(
      mutationQueue.get().flatMap(({ payload }) => (payload.kind === 'deletion' ? payload.id : [])),
    ),
  (before, now) => hasSameItems([...before], [...now]),
)
