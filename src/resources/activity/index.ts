import { readInSlices } from '#core/page-request.ts'
import { type Operation, readRoute } from '#core/route.ts'
import { fixLimit, toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { type LoadedTask, loadTask } from '#resources/tasks/load.ts'
import { listActivity } from './contract.ts'
import { activityOfTask, hideFormerProjects } from './store.ts'

/** An entry holds both texts of a changed description, up to 520 KB: as many are 27 MB at most. */
const MAX_SLICE = 51

const list: Operation<typeof listActivity, LoadedTask> = async (tx, { id }, { page }) => {
  const rows = await readInSlices(page, MAX_SLICE, (slice) =>
    tx.all(activityOfTask(fixLimit(toListOrder(slice, null), slice)), {
      ...toPageWindow(slice),
      task_id: id,
    }),
  )
  return page.toPage(await hideFormerProjects(tx, rows))
}

export const activity = [readRoute(listActivity, (tx, { params }) => loadTask(tx, params.id), list)]
