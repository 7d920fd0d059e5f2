import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import * as internal from './internal.ts'
import { getSettings, getWatch, list, mark, updateSettings, updateWatch } from './operations.ts'

export const notifications = [
  readRoute(internal.listNotifications, allowAnyRole, list),
  writeRoute(internal.markNotifications, allowAnyRole, mark),
  readRoute(internal.getNotificationSettings, allowAnyRole, getSettings),
  writeRoute(internal.updateNotificationSettings, allowAnyRole, updateSettings),
  readRoute(internal.getTaskWatch, (tx, { params }) => loadTask(tx, params.id), getWatch),
  writeRoute(internal.updateTaskWatch, (tx, { params }) => loadTask(tx, params.id), updateWatch),
]
