import { derive, hasSameItems } from '../../lib/state/atom.ts'
import { mutationQueue } from './mutation-queue.ts'

/** The ids of records whose deletion can still be undone, or is not acknowledged yet. */
export const hiddenRecords = derive(
  mutationQueue,
  (queue): ReadonlySet<string> =>
    new Set(queue.flatMap(({ payload }) => (payload.kind === 'deletion' ? payload.id : []))),
  (before, now) => hasSameItems([...before], [...now]),
)
