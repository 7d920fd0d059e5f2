import { useQuery } from '@tanstack/react-query'
import type {
  createTimeEntry,
  listTaskTimeEntries,
  TimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { deleteWithUndo } from '../mutations/record-mutations.ts'
import { refetchTask } from '../tasks/task-queries.ts'

export type { TimeEntry }
export type NewTimeEntry = CallInput<typeof createTimeEntry>['body']
export type TimeEntryPatch = CallInput<typeof updateTimeEntry>['body']

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
  return { entries: data?.data, more: data?.has_more ?? false, error, retry: () => void refetch() }
}

/** Logs time on a task. Throws if the server rejects it, so that the form can show the errors. */
export async function logTime(task_id: string, body: NewTimeEntry, idempotencyKey: string) {
  const to = 'POST /api/v1/tasks/:id/time-entries'
  const sent = { params: { id: task_id }, body }
  const reply = await requestEndpointForResult<typeof createTimeEntry>(to, sent, { idempotencyKey })
  recordOwnOperation(reply.operation_id)
  refetchTaskTime(task_id)
  return reply.body
}

/** Changes a time entry. Throws if the server rejects it. */
export async function editTimeEntry(
  { id, task_id }: TimeEntry,
  body: TimeEntryPatch,
): Promise<void> {
  const to = 'PATCH /api/v1/time-entries/:id'
  const options = { idempotencyKey: crypto.randomUUID() }
  const reply = await requestEndpointForResult<typeof updateTimeEntry>(
    to,
    { params: { id }, body },
    options,
  )
  recordOwnOperation(reply.operation_id)
  refetchTaskTime(task_id)
}

/** Hides a time entry and deletes it when its toast ends; until then it can be undone. */
export const deleteTimeEntryWithUndo = ({ id, task_id }: TimeEntry): void =>
  deleteWithUndo(mutationMessages.entryDeleted, 'time_entry', { id, parent_id: task_id })

/** Refetches the time entries of a task, the timer, and the task with its total. */
export function refetchTaskTime(task_id: string): void {
  void queryClient.invalidateQueries({ queryKey: ['time', task_id] })
  void queryClient.invalidateQueries({ queryKey: ['timer'] })
  refetchTask(task_id)
}
