import { anyone, route } from '#core/route.ts'
import { loadProject } from '#resources/projects/load.ts'
import { createView, deleteView, listViews, pinViews, updateView } from './internal.ts'
import { loadViewToChange } from './load.ts'
import { create, list, pin, remove, update } from './operations.ts'

export const views = [
  route(listViews, (tx, { params }) => loadProject(tx, params.id), list),
  route(createView, anyone, create),
  route(pinViews, anyone, pin),
  route(updateView, (tx, { params }) => loadViewToChange(tx, params.id), update),
  route(deleteView, (tx, { params }) => loadViewToChange(tx, params.id), remove),
]
