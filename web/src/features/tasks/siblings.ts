import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { Layout } from './layout.ts'

const NONE: readonly string[] = []

/** Short ids of a list in its order, while a task is open beside it: `[` and `]` of the panel go through them. */
export const useSiblings = (
  layout: Layout,
  { prefix }: Project,
  open: string | undefined,
): readonly string[] => {
  const wanted = open !== undefined
  return useMemo(
    () =>
      wanted ? layout.order.flatMap((number) => (number > 0 ? `${prefix}-${number}` : [])) : NONE,
    [layout, prefix, wanted],
  )
}
