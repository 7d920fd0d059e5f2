import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { timeEntryById } from './store.ts'

/** The time entry, if the actor sees its task. */
export async function loadTimeEntry(tx: ReadTx, id: string) {
  const entry = await tx.one(timeEntryById, { id })
  if (!entry) throw notFound()
  return entry
}

/** The same for a change: one's own, and for owners and admins everybody's. */
export async function loadTimeEntryToWrite(tx: ReadTx, id: string) {
  const entry = await loadTimeEntry(tx, id)
  refuseOthers(tx, entry.user_id)
  return entry
}

/**
 * The task, for one who may log such time on it. The body is as sent: only an id that could be
 * somebody else's is judged here, all else is a fault of the field.
 */
export async function loadTaskToTime(tx: ReadTx, name: string, body: unknown) {
  const task = await loadTask(tx, name)
  const { user_id } = Object(body) as { user_id?: unknown }
  if (typeof user_id === 'string' && PERSON.test(user_id)) refuseOthers(tx, user_id)
  return task
}

const PERSON = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

function refuseOthers({ actor }: ReadTx, user_id: string): void {
  if (user_id === actor.user_id || manages(actor)) return
  throw insufficientRole('Only owners and admins can log or change the time of others.')
}
