import { useMemo } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import type { Layout } from './layout.ts'

/** Short ids of a list in its order: `[` and `]` of the panel go through them. */
export const useSiblings = (layout: Layout, { prefix }: Project): readonly string[] =>
  useMemo(
    () => layout.order.flatMap((number) => (number > 0 ? `${prefix}-${number}` : [])),
    [layout, prefix],
  )
