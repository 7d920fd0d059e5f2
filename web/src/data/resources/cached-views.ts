import type { View } from '#resources/web-app/views/internal.ts'
import { queryClient } from '../cache/query-client.ts'
import { withPendingPatches } from '../mutations/pending-patches.ts'
import type { Boot } from '../session/boot.ts'

/** The saved views that are loaded: the pinned ones, and those of projects that were opened. */
export function getCachedViews({ views }: Boot): View[] {
  const read = queryClient.getQueriesData<View[]>({ queryKey: ['views'] })
  const all = [...views, ...read.flatMap(([, found]) => found ?? [])]
  return [...withPendingPatches([...new Map(all.map((view) => [view.id, view])).values()])]
}
