import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { ListLayout } from '../layout/list-layout.ts'

const NO_SIBLINGS: readonly string[] = []

/**
 * The short ids of a list in order, while a task is open beside it. The keys `[` and `]` step
 * through them.
 */
export const useSiblings = (
  layout: ListLayout,
  { prefix }: Pick<Project, 'prefix'>,
  open: string | undefined,
): readonly string[] => {
  const isOpen = open !== undefined
  return useMemo(
    () =>
      isOpen
        ? layout.order.flatMap((number) => (number > 0 ? `${prefix}-${number}` : []))
        : NO_SIBLINGS,
    [layout, prefix, isOpen],
  )
}
