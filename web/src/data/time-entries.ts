import { useQuery } from '@tanstack/react-query'
import type {
  createTimeEntry,
  deleteTimeEntry,
  listTimeEntries,
  TimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import { answered, call, type Sent } from '../lib/call.ts'
import { signal } from '../lib/signal.ts'
import { m } from '../messages/data.ts'
import { rereadTask } from './one-task.ts'
import { noteOwn } from './own.ts'
import { removeLater } from './records.ts'
import { queries } from './refetch.ts'

export type { TimeEntry }
export type NewEntry = Sent<typeof createTimeEntry>['body']
export type EntryChanges = Sent<typeof updateTimeEntry>['body']

/** Entries whose deletion can still be undone. */
export const hiddenEntries = signal<ReadonlySet<string>>(new Set())

/** The newest time entries of a task, 200 at the most; `more`: there are others. */
export function useTimeEntries(task_id: string) {
  const { data, error, refetch } = useQuery({
    queryKey: ['time', task_id],
    queryFn: ({ signal }) => {
      const sent = { params: { id: task_id }, query: { limit: 200 } }
      return call<typeof listTimeEntries>('GET /api/v1/tasks/:id/time-entries', sent, { signal })
    },
  })
  return { entries: data?.data, more: data?.has_more ?? false, error, retry: () => void refetch() }
}

/** Logs time on a task. Throws Problem where it is refused: it is asked for in a form. */
export async function logTime(task_id: string, body: NewEntry, idempotencyKey: string) {
  const to = 'POST /api/v1/tasks/:id/time-entries'
  const sent = { params: { id: task_id }, body }
  const reply = await answered<typeof createTimeEntry>(to, sent, { idempotencyKey })
  noteOwn(reply.operation_id)
  changed(task_id)
  return reply.body
}

/** Changes a time entry. Throws Problem where it is refused. */
export async function changeEntry({ id, task_id }: TimeEntry, body: EntryChanges): Promise<void> {
  const to = 'PATCH /api/v1/time-entries/:id'
  const options = { idempotencyKey: crypto.randomUUID() }
  const reply = await answered<typeof updateTimeEntry>(to, { params: { id }, body }, options)
  noteOwn(reply.operation_id)
  changed(task_id)
}

/** Deletes a time entry when its toast ends. */
export function removeEntry({ id, task_id }: TimeEntry): void {
  const to = 'DELETE /api/v1/time-entries/:id'
  removeLater(m.entryDeleted, {
    ...{ id, hidden: hiddenEntries },
    async send(options) {
      const { operation_id } = await answered<typeof deleteTimeEntry>(
        to,
        { params: { id } },
        options,
      )
      noteOwn(operation_id)
    },
    gone: () => changed(task_id),
  })
}

/** What shows the time of a task is read again, the task's sum with it. */
export function changed(task_id: string): void {
  void queries.invalidateQueries({ queryKey: ['time', task_id] })
  void queries.invalidateQueries({ queryKey: ['timer'] })
  rereadTask(task_id)
}
