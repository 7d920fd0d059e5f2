import { may, viewerId } from '#core/actor.ts'
import {
  assertNoFieldErrors,
  conflict,
  insufficientRole,
  notFound,
  validationFailed,
} from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { noteOperation } from '#db/operations/operations.ts'
import { keepInTrash, removeTrash, trashOf } from '#db/operations/trash.ts'
import type { ViewRow } from '#db/schema/tables.ts'
import { fromJson } from '#lib/json.ts'
import { activeMembersByIds } from '#resources/members/store.ts'
import { loadProject } from '#resources/projects/load.ts'
import { projectColumnsById } from '#resources/projects/store.ts'
import { fieldError } from '#wire/field-error.ts'
import {
  type createView,
  type deleteView,
  type listAllProjectsViews,
  type listViews,
  MAX_OWN_VIEWS,
  MAX_SHARED_VIEWS,
  type pinViews,
  type updateView,
} from './internal.ts'
import { loadViewToChange } from './load.ts'
import {
  changeView,
  clearPins,
  insertPin,
  insertView,
  pinnedViews,
  pinsOfView,
  removeView,
  unpinView,
  viewById,
  viewsOfAllProjects,
  viewsOfProject,
  visibleViewsByIds,
} from './store.ts'

type LoadedView = Awaited<ReturnType<typeof loadViewToChange>>

export const list: Operation<typeof listViews, { id: string }> = async (tx, project) => ({
  data: (await viewsOf(tx, project.id)).map(({ json }) => fromJson(json)),
})

export const listOfAllProjects: Operation<typeof listAllProjectsViews> = async (tx) => ({
  data: (await viewsOf(tx, null)).map(({ json }) => fromJson(json)),
})

/** The visible views of a project, or those of all projects. */
const viewsOf = (tx: ReadTx, project_id: string | null) =>
  project_id === null ? tx.all(viewsOfAllProjects, {}) : tx.all(viewsOfProject, { project_id })

export const create: Operation<typeof createView> = async (tx, _, { body }) => {
  const { project_id, name, view = 'list', f = '', sort = 'position', group = 'status' } = body
  const { lanes = 'none' } = body
  if (project_id !== null && !(await tx.one(projectColumnsById, { id: project_id }))) {
    throw validationFailed(
      fieldError('project_id', 'invalid_reference', 'must be a project that you have access to'),
    )
  }
  const creatorId = viewerId(tx.actor)
  const only_for = body.is_shared ? '' : creatorId
  await assertBelowLimit(tx, project_id, only_for)
  const id = tx.newRecordId('viw')
  await tx.run(insertView, {
    id,
    project_id,
    name,
    view,
    filter: f,
    sort,
    grouping: group,
    lanes,
    only_for,
    created_by_id: creatorId,
    created_at: tx.now,
    updated_at: tx.now,
  })
  noteView(tx, { id, project_id, only_for })
  return reload(tx, id)
}

/** Only its creator can make a view private. Everybody who saw it is notified of that change. */
export const update: Operation<typeof updateView, LoadedView> = async (tx, before, { body }) => {
  const { id, project_id } = before
  const shared = body.is_shared ?? before.only_for === ''
  if (!shared && before.created_by_id !== tx.actor.user_id) {
    throw insufficientRole('Only the creator of a view can make it private.')
  }
  const after = {
    id,
    name: body.name ?? before.name,
    view: body.view ?? before.view,
    filter: body.f ?? before.filter,
    sort: body.sort ?? before.sort,
    grouping: body.group ?? before.grouping,
    lanes: body.lanes ?? before.lanes,
    only_for: shared ? '' : before.created_by_id,
  }
  const isChanged = Object.entries(after).some(
    ([name, is]) => before[name as keyof LoadedView] !== is,
  )
  if (!isChanged) return before
  if (after.only_for !== before.only_for) await assertBelowLimit(tx, project_id, after.only_for)
  const updated_at = nextUpdatedAt(tx, before.updated_at)
  await tx.run(changeView, { ...after, updated_at })
  const staysPrivate = before.only_for !== '' && after.only_for !== ''
  const only_for = staysPrivate ? after.only_for : ''
  noteView(tx, { id, project_id, only_for })
  return reload(tx, id)
}

export const remove: Operation<typeof deleteView, LoadedView> = async (tx, view) => {
  const { id } = view
  const pins = await tx.all(pinsOfView, { id })
  const { project_id, name, filter, sort, grouping, lanes, only_for, created_by_id } = view
  const { created_at } = fromJson(view.json)
  const columns = { id, project_id, name, view: view.view, filter, sort, grouping, lanes, only_for }
  const row = { ...columns, created_by_id, created_at, updated_at: view.updated_at }
  const trashed: TrashedView = { row, pins }
  await keepInTrash(tx, { type: 'view', id, record: JSON.stringify(trashed) })
  // Views have no events, so the outbox does not learn of this operation.
  await noteOperation(tx)
  await tx.run(unpinView, { id })
  await tx.run(removeView, { id })
  noteView(tx, view)
}

/** Puts a view back that an operation has deleted, for those who may change it. */
export async function restoreView(tx: WriteTx, operation_id: string, id: string): Promise<void> {
  const trashed = await tx.one(trashOf, { operation_id, id })
  if (!trashed) throw notFound()
  const { row, pins } = JSON.parse(trashed.record) as TrashedView
  const { project_id, only_for } = row
  if (project_id !== null) await loadProject(tx, project_id)
  if (only_for !== '' && only_for !== viewerId(tx.actor)) throw notFound()
  await assertBelowLimit(tx, project_id, only_for)
  await tx.run(removeTrash, { operation_id, id })
  await tx.run(insertView, { ...row, updated_at: nextUpdatedAt(tx, row.updated_at) })
  const active = await tx.all(activeMembersByIds, { ids: pins.map(({ user_id }) => user_id) })
  const members = new Set(active.map(({ user_id }) => user_id))
  await tx.runEach(
    insertPin,
    pins
      .filter(({ user_id }) => members.has(user_id))
      .map(({ user_id, position }) => ({ user_id, position, view_id: id })),
  )
  noteView(tx, await loadViewToChange(tx, id))
}

interface TrashedView {
  row: Omit<ViewRow, 'workspace_id'>
  pins: readonly { user_id: string; position: number }[]
}

export const pin: Operation<typeof pinViews> = async (tx, _, { body: { view_ids } }) => {
  const before = await tx.all(pinnedViews, {})
  const views = await tx.all(visibleViewsByIds, { ids: view_ids })
  const visible = new Set(views.map(({ id }) => id))
  assertNoFieldErrors(
    view_ids.flatMap((id, at) =>
      visible.has(id)
        ? []
        : fieldError(
            `view_ids[${at}]`,
            'invalid_reference',
            'must be a view that you have access to',
          ),
    ),
  )
  const user_id = viewerId(tx.actor)
  await tx.run(clearPins, {})
  for (const [position, view_id] of view_ids.entries()) {
    await tx.run(insertPin, { user_id, view_id, position })
  }
  for (const { id } of before) tx.noteChange({ noun: 'view', id, only_for: user_id })
  for (const id of view_ids) tx.noteChange({ noun: 'view', id, only_for: user_id })
  return { data: (await tx.all(pinnedViews, {})).map(({ json }) => fromJson(json)) }
}

/** 403 for a guest who shares a view; 409 `limit_reached` if there are too many views. */
async function assertBelowLimit(
  tx: ReadTx,
  project_id: string | null,
  only_for: string,
): Promise<void> {
  const isShared = only_for === ''
  if (isShared && !may(tx.actor, 'shape_projects'))
    throw insufficientRole('Guests cannot share views.')
  const views = await viewsOf(tx, project_id)
  const count = views.filter((view) => view.only_for === only_for).length
  if (count < (isShared ? MAX_SHARED_VIEWS : MAX_OWN_VIEWS)) return
  const place = project_id === null ? 'of all projects' : 'in a project'
  throw conflict(
    'limit_reached',
    isShared
      ? `There can be at most ${MAX_SHARED_VIEWS} shared views ${place}. Delete one first.`
      : `You can have at most ${MAX_OWN_VIEWS} private views ${place}. Delete one first.`,
  )
}

async function reload(tx: ReadTx, id: string) {
  const view = await tx.one(viewById, { id })
  if (!view) throw notFound()
  return view
}

function noteView(
  tx: WriteTx,
  { id, project_id, only_for }: { id: string; project_id: string | null; only_for: string },
): void {
  tx.noteChange({
    noun: 'view',
    id,
    ...(project_id !== null && { project_id }),
    ...(only_for !== '' && { only_for }),
  })
}
