import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { ListLayout } from '../layout/list-layout.ts'

const NO_SIBLINGS: readonly string[] = []

/**
 * The short ids of a list in order, while a task is open beside it. The keys `[` and `]` step
 * through them.
 */
export const useSiblings = (
  list: Pick<ListLayout, 'order'>,
  { prefix }: Pick<Project, 'prefix'>,
  open: string | undefined,
): readonly string[] => {
  // The order of a layout is computed when it is first read, from all of its tasks.
  const order = open === undefined ? undefined : list.order
  return useMemo(
    () => order?.flatMap((number) => (number > 0 ? `${prefix}-${number}` : [])) ?? NO_SIBLINGS,
    [order, prefix],
  )
}
