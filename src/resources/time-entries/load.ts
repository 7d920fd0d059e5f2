import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { timeEntryById } from './store.ts'

/** The time entry, if the actor sees its task. */
export async function loadTimeEntry(tx: ReadTx, id: string) {
  const entry = await tx.one(timeEntryById, { id })
  if (!entry) throw notFound()
  return entry
}

/** The time entry, for those who may change it: its user, owners and admins. */
export async function loadTimeEntryToWrite(tx: ReadTx, id: string) {
  const entry = await loadTimeEntry(tx, id)
  assertCanLogTimeOf(tx, entry.user_id)
  return entry
}

/**
 * The task, if the actor may log time for the user in the body. The body has not been validated
 * yet: anything that is not a user id becomes a field error later.
 */
export async function loadTaskToLogTime(tx: ReadTx, name: string, body: unknown) {
  const task = await loadTask(tx, name)
  const { user_id } = Object(body) as { user_id?: unknown }
  if (typeof user_id === 'string' && USER_ID.test(user_id)) assertCanLogTimeOf(tx, user_id)
  return task
}

const USER_ID = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

function assertCanLogTimeOf({ actor }: ReadTx, user_id: string): void {
  if (user_id === actor.user_id || may(actor, 'change_work_of_others')) return
  throw insufficientRole('Only owners and admins can add or change time entries of other members.')
}
