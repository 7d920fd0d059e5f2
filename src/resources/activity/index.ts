import { type Operation, readRoute } from '#core/route.ts'
import { fixLimit, toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { type LoadedTask, loadTask } from '#resources/tasks/load.ts'
import { listActivity } from './contract.ts'
import { hideFormerProjects } from './hide-former-projects.ts'
import { activityOfTask } from './store.ts'

const list: Operation<typeof listActivity, LoadedTask> = async (tx, { id }, { page }) => {
  const rows = await tx.all(activityOfTask(fixLimit(toListOrder(page, null), page)), {
    ...toPageWindow(page),
    task_id: id,
  })
  return page.toPage(await hideFormerProjects(tx, rows))
}

export const activity = [readRoute(listActivity, (tx, { params }) => loadTask(tx, params.id), list)]
