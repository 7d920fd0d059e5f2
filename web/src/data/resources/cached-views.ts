import type { View } from '#resources/web-app/views/internal.ts'
import { queryClient } from '../cache/query-client.ts'
import { withPendingPatches } from '../mutations/pending-patches.ts'
import { newerOf } from '../mutations/record-revision.ts'
import { type Boot, bootState, updateBoot } from '../session/boot.ts'

/** The saved views that are loaded: the pinned ones, and those of pages that were opened. */
export const getCachedViews = (boot: Pick<Boot, 'views'>): View[] => [
  ...withPendingPatches([
    ...new Map(listServerViews(boot).map((view) => [view.id, view])).values(),
  ]),
]

/** A view as the server has told it. */
export const getCachedView = ({ id }: Pick<View, 'id'>): View | undefined =>
  listServerViews(bootState.get() ?? { views: [] }).findLast((view) => view.id === id)

function listServerViews({ views }: Pick<Boot, 'views'>): View[] {
  const read = queryClient.getQueriesData<View[]>({ queryKey: ['views'] })
  return [...views, ...read.flatMap(([, found]) => found ?? [])]
}

/** Replaces a view in all caches that contain it. */
export function replaceCachedView(view: View): void {
  const withView = <V extends View>(all: readonly V[]) =>
    all.map((one) => (one.id === view.id ? { ...one, ...newerOf<View>(one, view) } : one))
  queryClient.setQueryData<View[]>(['views', view.project_id], (all) => all && withView(all))
  updateBoot((now) => ({ ...now, views: withView(now.views) }))
}
