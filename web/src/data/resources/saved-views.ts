import { queryOptions, useQuery } from '@tanstack/react-query'
import type { createView, pinViews, updateView, View } from '#resources/web-app/views/internal.ts'
import { type CallInput, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { viewMessages } from '../../messages/tasks/views.ts'
import { type Reversal, showToast } from '../app/toasts.ts'
import { invalidate, queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { useWithPendingPatches, withPendingPatches } from '../mutations/pending-patches.ts'
import {
  deleteWithUndo,
  enqueueRecordEdit,
  enqueueRecordMutation,
  showNotDone,
} from '../mutations/record-mutations.ts'
import { bootState, keepPinnedViews, updateBoot } from '../session/boot.ts'
import { requestSavedViews } from './request-saved-views.ts'

export type SavedView = View

const viewsQuery = (project_id: string | null) =>
  queryOptions({
    queryKey: ['views', project_id],
    queryFn: () => requestSavedViews(project_id),
  })

/** The saved views of a project, or with null those of all projects; fetched if `enabled`. */
export const useSavedViews = (
  project_id: string | null,
  enabled: boolean,
): readonly View[] | undefined =>
  useWithPendingPatches(useQuery({ ...viewsQuery(project_id), enabled }).data)

/** The same views, from the cache if it is fresh. */
export const fetchSavedViews = async (project_id: string | null): Promise<readonly View[]> =>
  withPendingPatches(await queryClient.fetchQuery(viewsQuery(project_id)))

type NewSavedView = CallInput<typeof createView>['body']

/** Saves a view. A retry with the same idempotency key saves it once. Throws if it is rejected. */
export async function createSavedView(body: NewSavedView, idempotencyKey: string): Promise<View> {
  const options = { idempotencyKey }
  const created = await requestEndpointForResult<typeof createView>(
    'POST /internal/views',
    { body },
    options,
  )
  recordOwnOperation(created.operation_id)
  const queryKey = ['views', created.body.project_id]
  // Somebody may have changed or deleted the view since the first reply, which was lost.
  if (created.isReplayed) await invalidate({ queryKey })
  else
    queryClient.setQueryData<View[]>(
      queryKey,
      (all) => all && [...all.filter(({ id }) => id !== created.body.id), created.body],
    )
  return created.body
}

export type SavedViewPatch = CallInput<typeof updateView>['body']

/** Changes a saved view: shown at once, with undo in the toast. */
export function changeSavedView(view: View, patch: SavedViewPatch, label: string): void {
  const names = Object.keys(patch) as (keyof SavedViewPatch)[]
  const before: SavedViewPatch = Object.fromEntries(names.map((name) => [name, view[name]]))
  sendPatch(view, patch, label)
  showToast({ text: label, undo: () => undoPatch(view, patch, before) })
}

/** Gives the fields of a view their previous values, unless somebody else has changed them since. */
function undoPatch(
  view: View,
  patch: SavedViewPatch,
  before: SavedViewPatch,
): Reversal | undefined {
  const { id, name, project_id } = view
  const cached = queryClient.getQueryData<View[]>(['views', project_id]) ?? bootState.get()?.views
  const now = withPendingPatches(cached ?? []).find((one) => one.id === id)
  const fields = Object.entries(before) as [keyof SavedViewPatch, unknown][]
  const restored = fields.filter(([field]) => !now || now[field] === patch[field])
  if (restored.length < fields.length)
    showToast({ text: viewMessages.changedMeanwhile(now?.name ?? name), tone: 'trouble' })
  if (restored.length === 0) return undefined
  const undone: SavedViewPatch = Object.fromEntries(restored)
  sendPatch(now ?? { ...view, ...patch }, undone, viewMessages.undone)
  const again: SavedViewPatch = Object.fromEntries(restored.map(([field]) => [field, patch[field]]))
  return () => undoPatch(view, undone, again)
}

const sendPatch = (base: View, patch: SavedViewPatch, label: string): void =>
  void enqueueRecordEdit({ kind: 'view-edit', base, patch, label })

/** Hides a saved view and deletes it when its toast ends; until then it can be undone. */
export const deleteSavedViewWithUndo = ({ id, name }: View): void =>
  deleteWithUndo(viewMessages.deleted(name), 'view', id)

/** Replaces the pinned views by these, in this order, with undo in the toast. */
export function pinSavedViews(views: readonly View[], label: string): void {
  const before = readPins()
  sendPins(views, before, label)
  showToast({ text: label, undo: reversePins(before, views) })
}

const readPins = (): readonly View[] => bootState.get()?.views ?? []

/** Takes back what one change of the pinned views has done; what later ones have done stays. */
const reversePins =
  (before: readonly View[], after: readonly View[]): Reversal =>
  () => {
    const now = readPins()
    const next = invertPins(before, after, now)
    sendPins(next, now, viewMessages.undone)
    return reversePins(now, next)
  }

function invertPins(
  before: readonly View[],
  after: readonly View[],
  now: readonly View[],
): readonly View[] {
  const removed = before.filter((view) => !isAmong(view, after))
  const next = now.filter((view) => !isAmong(view, after) || isAmong(view, before))
  const isMove = removed.length === 0 && before.length === after.length
  if (isMove) {
    // Those that this change has ordered take their earlier order, in the places that they have now.
    const ordered = before.flatMap(({ id }) => next.find((view) => view.id === id) ?? [])
    return next.map((view) => (isAmong(view, before) ? (ordered.shift() ?? view) : view))
  }
  for (const view of removed) if (!isAmong(view, next)) next.splice(before.indexOf(view), 0, view)
  return next
}

const isAmong = ({ id }: View, views: readonly View[]): boolean =>
  views.some((view) => view.id === id)

function sendPins(views: readonly View[], before: readonly View[], label: string): void {
  const show = (all: readonly View[]) => updateBoot((now) => ({ ...now, views: [...all] }))
  const end = keepPinnedViews()
  show(views)
  enqueueRecordMutation<typeof pinViews>({
    queueKey: 'pins',
    label,
    address: 'PUT /internal/views/pins',
    queries: [],
    sent: { body: { view_ids: views.map(({ id }) => id) } },
    onReply: end,
    onRejected(error) {
      end()
      show(before)
      showNotDone(label, error)
    },
  })
}
