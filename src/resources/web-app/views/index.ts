import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { loadProject } from '#resources/projects/load.ts'
import {
  createView,
  deleteView,
  listAllProjectsViews,
  listViews,
  pinViews,
  updateView,
} from './internal.ts'
import { loadViewToChange } from './load.ts'
import { create, list, listOfAllProjects, pin, remove, update } from './operations.ts'

export const views = [
  readRoute(listViews, (tx, { params }) => loadProject(tx, params.id), list),
  readRoute(listAllProjectsViews, allowAnyRole, listOfAllProjects),
  writeRoute(createView, allowAnyRole, create),
  writeRoute(pinViews, allowAnyRole, pin),
  writeRoute(updateView, (tx, { params }) => loadViewToChange(tx, params.id), update),
  writeRoute(deleteView, (tx, { params }) => loadViewToChange(tx, params.id), remove),
]
