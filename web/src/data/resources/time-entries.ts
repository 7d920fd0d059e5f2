import { useMemo } from 'react'
import type { listTaskTimeEntries, TimeEntry } from '#resources/time-entries/contract.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import { deleteWithUndo, enqueueRecordEdit } from '../mutations/record-mutations.ts'
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

/**
 * Logs time on a task: shown at once and queued. If it is refused, the typed text is kept. Returns the key of the
 * mutation.
 */
export function logTime(task_id: string, body: LoggedTime, text: string): string {
  const key = crypto.randomUUID()
  mutationLog.add({
    key,
    queueKey: `time of ${task_id}`,
    label: recordChangeMessages.timeEntry,
    payload: { kind: 'time-entry', task_id, body, text },
  })
  return key
}

/**
 * Changes a time entry from how it was when editing began: shown at once and queued. If it is
 * refused, the typed text is kept.
 */
export function editTimeEntry(base: TimeEntry, patch: TimeEntryPatch, text: string): void {
  const label = recordChangeMessages.timeEntryChange
  enqueueRecordEdit({ kind: 'time-entry-edit', base, patch, text, label })
}

type EntryOfTask = Pick<TimeEntry, 'id' | 'task_id'>

/** Hides a time entry and deletes it when its toast ends; until then it can be undone. */
export const deleteTimeEntryWithUndo = ({ id, task_id }: EntryOfTask): void =>
  deleteWithUndo(recordChangeMessages.entryDeleted, 'time_entry', { id, parent_id: task_id })

/** Deletes a time entry at once. */
export function deleteEntryAtOnce({ id, task_id }: EntryOfTask): void {
  const payload = { kind: 'deletion', noun: 'time_entry', id, parent_id: task_id } as const
  const label = recordChangeMessages.entryDeleted
  mutationLog.add({ key: crypto.randomUUID(), queueKey: id, label, payload })
}
