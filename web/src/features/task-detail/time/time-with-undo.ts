import { type Reversal, showToast } from '../../../data/app/toasts.ts'
import { cancelMutation, mutationQueue } from '../../../data/mutations/mutation-queue.ts'
import { hasPendingDeletion } from '../../../data/mutations/pending-patches.ts'
import { findRecordEdits, showNotDone } from '../../../data/mutations/record-mutations.ts'
import { readWholeList } from '../../../data/resources/held-records.ts'
import {
  deleteEntryAtOnce,
  editTimeEntry,
  type LoggedTime,
  logTime,
  type TimeEntry,
  type TimeEntryPatch,
  timeEntriesOf,
} from '../../../data/resources/time-entries.ts'
import { bootState } from '../../../data/session/boot.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'

/** Logs time. Its undo takes it back, or deletes the entry once it was sent. One sees the entry, so no toast opens. */
export const logTimeWithUndo = (
  task_id: string,
  body: LoggedTime,
  text: string,
  label: string,
): void =>
  void showToast({ text: label, undo: queueLoggedTime(task_id, body, text), isOpen: false })

function queueLoggedTime(task_id: string, body: LoggedTime, text: string): Reversal {
  logTime(task_id, body, text)
  const key = findLastKey(task_id)
  return () => {
    if (!cancelMutation(key))
      deleteSentTime(key, task_id, body).catch((error: unknown) =>
        showNotDone(recordChangeMessages.entryDeleted, error),
      )
    return () => queueLoggedTime(task_id, body, text)
  }
}

const findLastKey = (task_id: string): string =>
  mutationQueue
    .get()
    .findLast(({ payload }) => payload.kind === 'time-entry' && payload.task_id === task_id)?.key ??
  ''

/** Deletes the entry of a mutation, once that is not on its way any more. */
async function deleteSentTime(key: string, task_id: string, body: LoggedTime): Promise<void> {
  await waitUntilSent(key)
  // The server has refused it.
  if (cancelMutation(key)) return
  const entries = await readWholeList(timeEntriesOf(task_id))
  // The newest: of two that are equal it does not matter which one goes.
  const entry = entries.find((one) => !hasPendingDeletion(one.id) && isLogged(one, body))
  if (entry) deleteEntryAtOnce(entry)
}

const isLogged = (entry: TimeEntry, body: LoggedTime): boolean =>
  entry.user_id === bootState.get()?.session.user.id &&
  entry.started_at === null &&
  entry.duration_seconds === body.duration_seconds &&
  entry.spent_on === body.spent_on &&
  (entry.note ?? '') === (body.note ?? '') &&
  entry.billable === body.billable

function waitUntilSent(key: string): Promise<void> {
  const isSending = () => mutationQueue.get().some((one) => one.key === key && !one.refusal)
  return new Promise((resolve) => {
    if (!isSending()) return resolve()
    const stop = mutationQueue.subscribe(() => {
      if (isSending()) return
      stop()
      resolve()
    })
  })
}

/** Changes a time entry; its undo gives the changed fields their earlier values. */
export const editTimeWithUndo = (
  base: TimeEntry,
  patch: TimeEntryPatch,
  texts: { before: string; after: string },
): void =>
  void showToast({
    text: recordChangeMessages.timeEntryChange,
    undo: queueTimeEdit(base, patch, texts),
    isOpen: false,
  })

function queueTimeEdit(
  base: TimeEntry,
  patch: TimeEntryPatch,
  texts: { before: string; after: string },
): Reversal {
  editTimeEntry(base, patch, texts.after)
  const key = findRecordEdits(base.id).at(-1)?.key ?? ''
  return () => {
    if (cancelMutation(key)) return () => queueTimeEdit(base, patch, texts)
    const inverse = { before: texts.after, after: texts.before }
    return queueTimeEdit({ ...base, ...patch }, pickEarlier(base, patch), inverse)
  }
}

/** The fields of a patch as they were before it. */
const pickEarlier = (
  { duration_seconds, spent_on, note, billable }: TimeEntry,
  patch: TimeEntryPatch,
): TimeEntryPatch => ({
  ...(patch.duration_seconds !== undefined && duration_seconds !== null && { duration_seconds }),
  ...(patch.spent_on !== undefined && { spent_on }),
  ...(patch.note !== undefined && { note }),
  ...(patch.billable !== undefined && { billable }),
})
