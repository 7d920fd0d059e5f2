import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { ListLayout } from '../layout/list-layout.ts'

const NO_SIBLINGS: readonly string[] = []

/**
 * The short ids of a list in order, while a task is open beside it. The keys `[` and `]` step
 * through them.
 */
export const useSiblings = (
  { order }: Pick<ListLayout, 'order'>,
  { prefix }: Pick<Project, 'prefix'>,
  open: string | undefined,
): readonly string[] => {
  const isOpen = open !== undefined
  return useMemo(
    () =>
      isOpen ? order.flatMap((number) => (number > 0 ? `${prefix}-${number}` : [])) : NO_SIBLINGS,
    [order, prefix, isOpen],
  )
}
