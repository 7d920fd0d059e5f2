import { useMemo } from 'react'
import type { listTaskTimeEntries, TimeEntry } from '#resources/time-entries/contract.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { type MutationUndo, showToast } from '../app/toasts.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import { enqueueRecordEdit, enqueueWithUndo, queueDeletion } from '../mutations/record-mutations.ts'
import { byCreation, compareTexts, createLists, useHeldList } from './held-records.ts'
import { pendingCreations } from './pending-creations.ts'

export type { TimeEntry }

/** The tasks with more time entries than are loaded. */
const longLists = new Set<string>()

export const timeEntriesOf = createLists<TimeEntry>('time', {
  async load(id) {
    const sent = { params: { id }, query: { limit: 200 } }
    const { body, changeNumber } = await requestEndpointForResult<typeof listTaskTimeEntries>(
      'GET /api/v1/tasks/:id/time-entries',
      sent,
    )
    if (body.has_more) longLists.add(id)
    else longLists.delete(id)
    return {
      records: body.data.map((record) => ({ type: 'time_entry', record })),
      n: changeNumber,
    }
  },
  pick: ({ type, record }, id) =>
    type === 'time_entry' && record.task_id === id ? record : undefined,
  compare: (a, b) => compareTexts(b.spent_on, a.spent_on) || byCreation(b, a),
})

/** The newest 200 time entries of a task; `more` if there are others. */
export function useTimeEntries(task_id: string) {
  const { records, error, retry } = useHeldList(timeEntriesOf(task_id))
  return { entries: useWithPendingPatches(records), more: longLists.has(task_id), error, retry }
}

/** What a person logs on a task. */
export type LoggedTime = Pick<TimeEntry, 'spent_on' | 'note' | 'billable'> & {
  duration_seconds: number
}

export type TimeEntryPatch = Partial<LoggedTime>

/** Logged time that the server has not acknowledged. */
interface UnsentTimeEntry extends LoggedTime {
  /** The key of its mutation. */
  key: string
}

/** The time that was logged on a task and is waiting to be sent. */
export function useUnsentTimeEntries(task_id: string): readonly UnsentTimeEntry[] {
  const creations = useAtom(pendingCreations)
  return useMemo(
    () =>
      creations.flatMap(({ key, payload, refusal }) =>
        payload.kind === 'time-entry' && payload.task_id === task_id && !refusal
          ? { key, ...payload.body }
          : [],
      ),
    [creations, task_id],
  )
}

/** Logs time on a task: shown at once and queued. If it is refused, the typed text is kept. Returns its undo. */
export const logTime = (task_id: string, body: LoggedTime, text: string): MutationUndo =>
  enqueueWithUndo({
    queueKey: `time of ${task_id}`,
    label: recordChangeMessages.timeEntry,
    payload: { kind: 'time-entry', task_id, body, text },
  })

/**
 * Changes a time entry from how it was when editing began: shown at once and queued. If it is
 * refused, the typed text is kept. Returns its undo.
 */
export function editTimeEntry(base: TimeEntry, patch: TimeEntryPatch, text: string): MutationUndo {
  const label = recordChangeMessages.timeEntryChange
  return enqueueRecordEdit({ kind: 'time-entry-edit', base, patch, text, label })
}

/** Queues the deletion of a time entry, and returns its undo. */
export const queueEntryDeletion = ({ id }: TimeEntry): MutationUndo =>
  queueDeletion('time_entry', recordChangeMessages.entryDeleted, id)

/** Deletes a time entry, with undo in the toast. */
export const deleteTimeEntryWithUndo = (entry: TimeEntry): void =>
  void showToast({ text: recordChangeMessages.entryDeleted, undo: queueEntryDeletion(entry) })
