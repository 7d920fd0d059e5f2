import { type Reversal, showToast } from '../../../data/app/toasts.ts'
import { cancelMutation } from '../../../data/mutations/mutation-queue.ts'
import { findRecordEdits } from '../../../data/mutations/record-mutations.ts'
import { withdrawCreation } from '../../../data/resources/pending-creations.ts'
import {
  deleteEntryAtOnce,
  editTimeEntry,
  type LoggedTime,
  logTime,
  type TimeEntry,
  type TimeEntryPatch,
} from '../../../data/resources/time-entries.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'

/** Logs time. Its undo takes it back, or deletes the entry once it was sent. */
export const logTimeWithUndo = (
  task_id: string,
  body: LoggedTime,
  text: string,
  label: string,
): void => void showToast({ text: label, undo: queueLoggedTime(task_id, body, text) })

function queueLoggedTime(task_id: string, body: LoggedTime, text: string): Reversal {
  const key = logTime(task_id, body, text)
  return () => {
    withdrawCreation(key, (id) => deleteEntryAtOnce({ id, task_id }))
    return () => queueLoggedTime(task_id, body, text)
  }
}

/** Changes a time entry; its undo gives the changed fields their earlier values. */
export const editTimeWithUndo = (
  base: TimeEntry,
  patch: TimeEntryPatch,
  texts: { before: string; after: string },
): void =>
  void showToast({
    text: recordChangeMessages.timeEntryEdited,
    undo: queueTimeEdit(base, patch, texts),
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
