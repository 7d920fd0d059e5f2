import { refuseFaults } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { tellAssigned } from '#storage/watching.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Static } from '#wire/schema.ts'
import type { createTask, NewTask } from '../contract.ts'
import { insert } from '../insert.ts'
import { checkPlace } from '../rules/placing.ts'
import { defaultStatus } from '../rules/status.ts'
import { settingOf } from '../setting.ts'
import { tellCreated } from '../tell.ts'
import { blank, settle } from '../wish.ts'

export const create: Operation<typeof createTask> = (tx, _, { body }) => createIn(tx, body)

/** On create null is the same as absent (contract 1.3). */
const present = <T extends object>(wished: T): T =>
  Object.fromEntries(Object.entries(wished).filter(([, value]) => value !== null)) as T

/** Creates a task as a request wishes it, or refuses; gives it as it is shown. */
export async function createIn(tx: WriteTx, wished: Static<typeof NewTask>) {
  const { project_id, ...fields } = present(wished)
  const faults: Fault[] = []
  const setting = await settingOf(tx, project_id)
  if (!setting) {
    faults.push(fault('project_id', 'invalid_reference', 'must be a project that you see'))
    refuseFaults(faults)
    throw new Error('unreachable')
  }
  const base = blank(fields.title, defaultStatus(setting.statuses).key)
  const { core, refuseConflicts } = await settle(tx, null, setting, base, fields, faults)
  const place = await checkPlace(tx, null, project_id, fields, faults)
  refuseFaults(faults)
  refuseArchived(setting)
  await refuseConflicts()
  const made = await insert(tx, setting, core, { created_by_id: tx.actor.user_id ?? '', place })
  tellCreated(tx, made)
  // Of the next of a recurring task nobody is told: it is whose it was.
  await tellAssigned(tx, made, made.assignee_ids)
  return made
}
