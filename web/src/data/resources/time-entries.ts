import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { listTaskTimeEntries, TimeEntry } from '#resources/time-entries/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { useAtom } from '../../lib/state/atom.ts'
import { recordChangeMessages } from '../../messages/app/record-changes.ts'
import { queryClient } from '../cache/query-client.ts'
import { hideRecord } from '../mutations/hidden-records.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { useWithPendingPatches } from '../mutations/pending-patches.ts'
import { deleteWithUndo, enqueueRecordEdit } from '../mutations/record-mutations.ts'
import { newerOf } from '../mutations/record-revision.ts'

export type { TimeEntry }

/** The newest 200 time entries of a task; `more` if there are others. */
export function useTimeEntries(task_id: string) {
  const { data, error, refetch } = useQuery({
    queryKey: ['time', task_id],
    queryFn: ({ signal }) => {
      const sent = { params: { id: task_id }, query: { limit: 200 } }
      return requestEndpoint<typeof listTaskTimeEntries>(
        'GET /api/v1/tasks/:id/time-entries',
        sent,
        {
          signal,
        },
      )
    },
  })
  const entries = useWithPendingPatches(data?.data)
  return { entries, more: data?.has_more ?? false, error, retry: () => void refetch() }
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
  const mutations = useAtom(mutationQueue)
  return useMemo(
    () =>
      mutations.flatMap(({ key, payload, refusal }) =>
        payload.kind === 'time-entry' && payload.task_id === task_id && !refusal
          ? { key, ...payload.body }
          : [],
      ),
    [mutations, task_id],
  )
}

/** Logs time on a task: shown at once and queued. If it is refused, the typed text is kept. */
export function logTime(task_id: string, body: LoggedTime, text: string): void {
  mutationLog.add({
    key: crypto.randomUUID(),
    queueKey: `time of ${task_id}`,
    label: recordChangeMessages.timeEntry,
    payload: { kind: 'time-entry', task_id, body, text },
  })
}

/**
 * Changes a time entry from how it was when editing began: shown at once and queued. If it is
 * refused, the typed text is kept.
 */
export function editTimeEntry(base: TimeEntry, patch: TimeEntryPatch, text: string): void {
  const label = recordChangeMessages.timeEntryChange
  enqueueRecordEdit({ kind: 'time-entry-edit', base, patch, text, label })
}

/** Hides a time entry and deletes it when its toast ends; until then it can be undone. */
export const deleteTimeEntryWithUndo = ({ id, task_id }: TimeEntry): void =>
  deleteWithUndo(recordChangeMessages.entryDeleted, 'time_entry', { id, parent_id: task_id })

/** Deletes a time entry at once. */
export function deleteEntryAtOnce({ id, task_id }: TimeEntry): void {
  hideRecord(id)
  const payload = { kind: 'deletion', noun: 'time_entry', id, parent_id: task_id } as const
  const label = recordChangeMessages.entryDeleted
  mutationLog.add({ key: crypto.randomUUID(), queueKey: id, label, payload })
}

/** The time entries of a person in a week, as a timesheet reads them. */
export interface TimesheetWeek {
  user_id: string
  after: string
  before: string
  entries: readonly TimeEntry[]
}

/** Shows a new or changed entry, until the entries of its task and week are read again. */
export function putTimeEntry(entry: TimeEntry): void {
  queryClient.setQueryData<EndpointReply<typeof listTaskTimeEntries>>(
    ['time', entry.task_id],
    (page) => {
      if (!page) return page
      const isKnown = page.data.some(({ id }) => id === entry.id)
      const data = page.data.map((one) => (one.id === entry.id ? newerOf(one, entry) : one))
      return { ...page, data: isKnown ? data : [entry, ...data] }
    },
  )
  queryClient.setQueriesData<TimesheetWeek>({ queryKey: ['timesheet'] }, (week) => {
    if (!week || entry.user_id !== week.user_id) return week
    const others = week.entries.filter(({ id }) => id !== entry.id)
    const known = week.entries.find(({ id }) => id === entry.id)
    const latest = known ? newerOf(known, entry) : entry
    const isOfWeek = latest.spent_on >= week.after && latest.spent_on < week.before
    return { ...week, entries: isOfWeek ? [...others, latest] : others }
  })
}

/** Refetches the time entries of a task, the timer and the timesheets. */
export function refetchTaskTime(task_id: string): void {
  void queryClient.invalidateQueries({ queryKey: ['time', task_id] })
  for (const name of ['timer', 'timesheet'])
    void queryClient.invalidateQueries({ queryKey: [name] })
}
