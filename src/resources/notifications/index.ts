import { anyone, route } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import * as internal from './internal.ts'
import { changeSettings, changeWatch, list, mark, settings, watch } from './operations.ts'

export const notifications = [
  route(internal.listNotifications, anyone, list),
  route(internal.markNotifications, anyone, mark),
  route(internal.getSettings, anyone, settings),
  route(internal.changeSettings, anyone, changeSettings),
  route(internal.getWatch, (tx, { params }) => loadTask(tx, params.id), watch),
  route(internal.changeWatch, (tx, { params }) => loadTask(tx, params.id), changeWatch),
]
