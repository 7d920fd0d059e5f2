import { refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { Fault } from '#wire/fault.ts'
import { change } from '../change.ts'
import type { updateTask } from '../contract.ts'
import type { TaskToWrite } from '../load.ts'
import { move } from '../move.ts'
import { rankAt } from '../place.ts'
import { recur } from '../recur.ts'
import { checkPlace } from '../rules/placing.ts'
import { stageOf } from '../rules/status.ts'
import { statusesIn } from '../setting.ts'
import { tellChanged, tellCreated } from '../tell.ts'
import { settle, type Wished } from '../wish.ts'

export const update: Operation<typeof updateTask, TaskToWrite> = (tx, task, { body }) =>
  updateAs(tx, task, body)

/** Changes a task as a request wishes it, or refuses; gives it as it is shown then. */
export async function updateAs(tx: WriteTx, task: TaskToWrite, wished: Wished) {
  const { record } = task
  const { project_id } = wished
  if (project_id !== undefined && project_id !== record.project_id) {
    return move(tx, task, project_id, wished)
  }
  const faults: Fault[] = []
  const { archived_at } = task
  const setting = {
    project_id: record.project_id,
    archived_at,
    statuses: statusesIn(task.statuses),
  }
  const { core, refuseConflicts } = await settle(tx, record.id, setting, record, wished, faults)
  const place = await checkPlace(tx, record.id, record.project_id, wished, faults)
  refuseFaults(faults)
  refuseArchived(task)
  await refuseConflicts()

  const stage = stageOf(tx, setting.statuses, core.status, record)
  const completes = stage.status_category === 'completed' && record.status_category !== 'completed'
  const recurrence = completes ? null : core.recurrence
  const more = place && {
    position: await rankAt(tx, { ...place, ...setting, id: record.id, position: record.position }),
  }
  const becoming = { core: { ...core, recurrence }, stage, ...(more && { more }) }
  const changed = await change(tx, record, becoming)
  if (!changed) return task
  const next = completes ? await recur(tx, setting, { ...record, ...core }) : undefined
  await tellChanged(tx, record, changed.json)
  if (next) tellCreated(tx, next)
  return changed
}
