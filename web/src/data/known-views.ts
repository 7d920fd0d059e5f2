import type { View } from '#resources/views/internal.ts'
import type { Boot } from './boot.ts'
import { queries } from './refetch.ts'

/** The saved views that the page knows by now: what is pinned, and those of projects where they were asked for. */
export function knownViews({ views }: Boot): View[] {
  const read = queries.getQueriesData<View[]>({ queryKey: ['views'] })
  const all = [...views, ...read.flatMap(([, found]) => found ?? [])]
  return [...new Map(all.map((view) => [view.id, view])).values()]
}
