import { useMemo } from 'react'
import { getCachedTask, isTempId } from '../../../data/tasks/task-store.ts'
import type { ListLayout } from '../layout/list-layout.ts'

const NO_SIBLINGS: readonly string[] = []

/**
 * The short ids of a list in order, while a task is open beside it. The keys `[` and `]` step
 * through them.
 */
export const useSiblings = (
  list: Pick<ListLayout, 'order'>,
  open: string | undefined,
): readonly string[] => {
  // The order of a layout is computed when it is first read, from all of its tasks.
  const order = open === undefined ? undefined : list.order
  return useMemo(
    () =>
      order?.flatMap((id) => (isTempId(id) ? [] : (getCachedTask(id)?.short_id ?? []))) ??
      NO_SIBLINGS,
    [order],
  )
}
