import { queryOptions, useQuery } from '@tanstack/react-query'
import type {
  createView,
  deleteView,
  listViews,
  pinViews,
  updateView,
  View,
} from '#resources/views/internal.ts'
import { answered, call, type Sent } from '../lib/call.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/views.ts'
import { boot, changeBoot } from './boot.ts'
import { noteOwn } from './own.ts'
import { removeLater, sendRecord } from './records.ts'
import { queries } from './refetch.ts'
import { toast } from './toasts.ts'

export type SavedView = View

const viewsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['views', project_id],
    queryFn: async () => {
      const params = { id: project_id }
      return (await call<typeof listViews>('GET /internal/projects/:id/views', { params })).data
    },
  })

/** The saved views of a project, asked for where they are wanted. */
export const useViews = (project_id: string, enabled: boolean): readonly View[] | undefined =>
  useQuery({ ...viewsQuery(project_id), enabled }).data

/** The same, once; what was read a moment ago is not asked for again. */
export const readViews = (project_id: string): Promise<View[]> =>
  queries.fetchQuery(viewsQuery(project_id))

/** Views whose deletion can still be undone. */
export const hiddenViews = signal<ReadonlySet<string>>(new Set())

/** Saves a view. Throws Problem where it is refused. */
export async function createSaved(body: Sent<typeof createView>['body']): Promise<View> {
  const options = { idempotencyKey: crypto.randomUUID() }
  const made = await answered<typeof createView>('POST /internal/views', { body }, options)
  noteOwn(made.operation_id)
  queries.setQueryData<View[]>(['views', made.body.project_id], (all) => all && [...all, made.body])
  return made.body
}

export type ViewPatch = Sent<typeof updateView>['body']

/** Changes a view: shown at once, with undo in its toast. */
export function changeSaved(view: View, patch: ViewPatch, label: string): void {
  const { id } = view
  const names = Object.keys(patch) as (keyof ViewPatch)[]
  const before: ViewPatch = Object.fromEntries(names.map((name) => [name, view[name]]))
  sendPatch(view, patch, label)
  toast({ text: label, undo: () => sendPatch({ ...view, ...patch, id }, before, m.undone) })
}

function sendPatch(view: View, patch: ViewPatch, label: string): void {
  const { id } = view
  take({ ...view, ...patch })
  sendRecord({
    ...{ lane: id, label },
    send: async (idempotencyKey) => {
      const sent = { params: { id }, body: patch }
      const to = 'PATCH /internal/views/:id'
      const { body, operation_id } = await answered<typeof updateView>(to, sent, { idempotencyKey })
      noteOwn(operation_id)
      take(body)
    },
    refused: () => take(view),
  })
}

/** A view as it is now, wherever it is shown. */
function take(view: View): void {
  const swapped = <V extends View>(all: readonly V[]) =>
    all.map((one) => (one.id === view.id ? { ...one, ...view } : one))
  queries.setQueryData<View[]>(['views', view.project_id], (all) => all && swapped(all))
  changeBoot((now) => ({ ...now, views: swapped(now.views) }))
}

/** Deletes a view when its toast ends. */
export function removeSaved({ id, name, project_id }: View): void {
  removeLater(m.deleted(name), {
    ...{ id, hidden: hiddenViews },
    send: (options) =>
      call<typeof deleteView>('DELETE /internal/views/:id', { params: { id } }, options),
    gone() {
      changeBoot((now) => ({ ...now, views: now.views.filter((one) => one.id !== id) }))
      void queries.invalidateQueries({ queryKey: ['views', project_id] })
    },
  })
}

/** Pins these views, in this order, in place of those that are pinned; with undo in its toast. */
export function pinSaved(views: readonly View[], label: string): void {
  const before = boot.get()?.views ?? []
  sendPins(views, before, label)
  toast({ text: label, undo: () => sendPins(before, views, m.undone) })
}

function sendPins(views: readonly View[], before: readonly View[], label: string): void {
  const show = (all: readonly View[]) => changeBoot((now) => ({ ...now, views: [...all] }))
  show(views)
  sendRecord({
    ...{ lane: 'pins', label },
    send: async (idempotencyKey) => {
      const body = { view_ids: views.map(({ id }) => id) }
      const to = 'PUT /internal/views/pins'
      const { operation_id } = await answered<typeof pinViews>(to, { body }, { idempotencyKey })
      noteOwn(operation_id)
    },
    refused: () => show(before),
  })
}
