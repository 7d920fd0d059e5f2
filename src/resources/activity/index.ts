import { type Operation, route } from '#core/route.ts'
import { type FoundTask, loadTask } from '#resources/tasks/load.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { listActivity } from './contract.ts'
import { activityOfTask } from './store.ts'

const list: Operation<typeof listActivity, FoundTask> = async (tx, { id }, { page }) =>
  page.cut(await tx.all(activityOfTask(orderOf(page, null)), { ...windowOf(page), task_id: id }))

export const activity = [route(listActivity, (tx, { params }) => loadTask(tx, params.id), list)]
