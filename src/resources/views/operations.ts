import { later } from '#core/later.ts'
import { conflict, insufficientRole, invalid, notFound, refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { fromJson } from '#lib/json.ts'
import { projectToUse } from '#resources/projects/store.ts'
import { fault } from '#wire/fault.ts'
import {
  type createView,
  type deleteView,
  type listViews,
  MOST_OWN,
  MOST_SHARED,
  type pinViews,
  type updateView,
} from './internal.ts'
import type { loadViewToChange } from './load.ts'
import {
  changeView,
  clearPins,
  countViews,
  insertPin,
  insertView,
  pinnedViews,
  removeView,
  seenAmong,
  unpinView,
  viewById,
  viewsOfProject,
} from './store.ts'

type View = Awaited<ReturnType<typeof loadViewToChange>>

export const list: Operation<typeof listViews, { id: string }> = async (tx, project) => {
  const found = await tx.all(viewsOfProject, { project_id: project.id })
  return { data: found.map(({ json }) => fromJson(json)) }
}

export const create: Operation<typeof createView> = async (tx, _, { body }) => {
  const { project_id, name, view = 'list', f = '', sort = 'position', group = 'status' } = body
  const { lanes = 'none' } = body
  if (!(await tx.one(projectToUse, { id: project_id }))) {
    throw invalid(fault('project_id', 'invalid_reference', 'names no project that you see'))
  }
  const maker = tx.actor.user_id ?? ''
  const only_for = body.is_shared ? '' : maker
  await refuseMore(tx, project_id, only_for)
  const id = newId('viw', tx.instant)
  await tx.run(insertView, {
    ...{ id, project_id, name, view, filter: f, sort, grouping: group, lanes, only_for },
    ...{ created_by_id: maker, created_at: tx.now, updated_at: tx.now },
  })
  noteView(tx, { id, project_id, only_for }, 'create')
  return seen(tx, id)
}

/** What becomes private is private to its maker: nobody else does that. Those who saw it hear of it too. */
export const update: Operation<typeof updateView, View> = async (tx, before, { body }) => {
  const { id, project_id } = before
  const shared = body.is_shared ?? before.only_for === ''
  if (!shared && before.created_by_id !== tx.actor.user_id) {
    throw insufficientRole('Only who made a view can keep it from others.')
  }
  const after = {
    ...{ id, name: body.name ?? before.name, view: body.view ?? before.view },
    ...{ filter: body.f ?? before.filter, sort: body.sort ?? before.sort },
    grouping: body.group ?? before.grouping,
    lanes: body.lanes ?? before.lanes,
    only_for: shared ? '' : before.created_by_id,
  }
  const isOther = Object.entries(after).some(([name, is]) => before[name as keyof View] !== is)
  if (!isOther) return before
  if (after.only_for !== before.only_for) await refuseMore(tx, project_id, after.only_for)
  const updated_at = later(tx, before.updated_at)
  await tx.run(changeView, { ...after, updated_at })
  const wasPrivate = before.only_for !== '' && after.only_for !== ''
  const only_for = wasPrivate ? after.only_for : ''
  noteView(tx, { id, project_id, only_for }, 'update', updated_at)
  return seen(tx, id)
}

export const remove: Operation<typeof deleteView, View> = async (tx, view) => {
  await tx.run(unpinView, { id: view.id })
  await tx.run(removeView, { id: view.id })
  noteView(tx, view, 'delete')
}

export const pin: Operation<typeof pinViews> = async (tx, _, { body: { view_ids } }) => {
  const before = await tx.all(pinnedViews, {})
  const found = await tx.all(seenAmong, { ids: view_ids })
  const projects = new Map(found.map(({ id, project_id }) => [id, project_id]))
  refuseFaults(
    view_ids.flatMap((id, at) =>
      projects.has(id)
        ? []
        : fault(`view_ids[${at}]`, 'invalid_reference', 'names no view that you see'),
    ),
  )
  const user_id = tx.actor.user_id ?? ''
  await tx.run(clearPins, {})
  for (const [position, view_id] of view_ids.entries()) {
    await tx.run(insertPin, { user_id, view_id, position })
  }
  for (const { id } of before) tx.note({ noun: 'view', id, op: 'update', only_for: user_id })
  for (const id of view_ids) tx.note({ noun: 'view', id, op: 'update', only_for: user_id })
  return { data: (await tx.all(pinnedViews, {})).map(({ json }) => fromJson(json)) }
}

/** 403 for a guest who would share; 409 `limit_reached` where there are as many as there may be. */
async function refuseMore(tx: ReadTx, project_id: string, only_for: string): Promise<void> {
  const isShared = only_for === ''
  if (isShared && tx.actor.role === 'guest') throw insufficientRole('Guests cannot share views.')
  const { count } = (await tx.one(countViews, { project_id, only_for })) ?? { count: 0 }
  if (count < (isShared ? MOST_SHARED : MOST_OWN)) return
  throw conflict(
    'limit_reached',
    isShared
      ? `A project has at most ${MOST_SHARED} shared views: delete one first.`
      : `A person has at most ${MOST_OWN} views of their own in a project: delete one first.`,
  )
}

async function seen(tx: ReadTx, id: string) {
  const view = await tx.one(viewById, { id })
  if (!view) throw notFound()
  return view
}

function noteView(
  tx: WriteTx,
  { id, project_id, only_for }: { id: string; project_id: string; only_for: string },
  op: 'create' | 'update' | 'delete',
  revision?: string,
): void {
  const whom = only_for === '' ? {} : { only_for }
  tx.note({ noun: 'view', id, op, project_id, ...(revision && { revision }), ...whom })
}
