import { useQuery } from '@tanstack/react-query'
import type {
  createTimeEntry,
  TimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import type { getTimer, Timer } from '#resources/time-entries/internal.ts'
import { formatTimer } from '../../lib/dates/duration.ts'
import { elapsedSeconds } from '../../lib/dates/elapsed.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { queryClient } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import { enqueueRecordMutation } from '../mutations/record-mutations.ts'
import type { Task } from '../tasks/task-patch.ts'
import { refetchTaskTime } from './time-entries.ts'

type TimedTask = Pick<Task, 'id' | 'project_id' | 'short_id' | 'title'>

/** The person's running timer: its entry with the start time, and its task. */
export interface RunningTimer {
  entry: { id: string; started_at: string }
  task: TimedTask
}

const QUERY_KEY = ['timer']
const QUEUE_KEY = 'timer'

/** The person's running timer, if any. Live updates report changes from other tabs and devices. */
export function useTimer(): RunningTimer | undefined {
  const { data } = useQuery({ queryKey: QUERY_KEY, queryFn: fetchTimer, staleTime: 60_000 })
  return data ?? undefined
}

const fetchTimer = async (): Promise<RunningTimer | null> =>
  toRunningTimer(await requestEndpoint<typeof getTimer>('GET /internal/timer', {}))

const toRunningTimer = ({ entry, task }: Timer): RunningTimer | null =>
  entry && task && entry.started_at !== null
    ? { entry: { id: entry.id, started_at: entry.started_at }, task }
    : null

const getRunningTimer = (): RunningTimer | null | undefined =>
  queryClient.getQueryData<RunningTimer | null>(QUERY_KEY)
const setRunningTimer = (running: RunningTimer | null): void => {
  // A reply that is under way would be older than this value.
  void queryClient.cancelQueries({ queryKey: QUERY_KEY })
  queryClient.setQueryData<RunningTimer | null>(QUERY_KEY, running)
}

/** Starts a timer on a task, shown at once. The server stops another one, as the toast says. */
export function startTimer({ id, project_id, short_id, title }: TimedTask): void {
  const before = getRunningTimer()
  if (before?.task.id === id) return
  const task = { id, project_id, short_id, title }
  setRunningTimer({ entry: { id: '', started_at: new Date().toISOString() }, task })
  showToast({
    text: before
      ? mutationMessages.timerMoved(short_id, before.task.short_id, formatElapsed(before))
      : mutationMessages.timerStarted(short_id),
  })
  enqueueRecordMutation({
    queueKey: QUEUE_KEY,
    label: mutationMessages.timerStarted(short_id),
    async send(idempotencyKey) {
      const to = 'POST /api/v1/tasks/:id/time-entries'
      const sent = { params: { id }, body: { running: true } }
      const reply = await requestEndpointForResult<typeof createTimeEntry>(to, sent, {
        idempotencyKey,
      })
      recordOwnOperation(reply.operation_id)
      const entry: TimeEntry = reply.body
      startedEntryId = entry.id
      if (getRunningTimer()?.task.id === id) setRunningTimer(toRunningTimer({ entry, task }))
      refetchTaskTime(id)
      if (before) refetchTaskTime(before.task.id)
    },
    onRejected: () => setRunningTimer(before ?? null),
  })
}

/** The entry that the last start has created, for a stop that was queued before its reply. */
let startedEntryId = ''

/** Stops the running timer, shown at once; the toast says how long it was running. */
export function stopTimer(): void {
  const running = getRunningTimer()
  if (!running) return
  const { entry, task } = running
  const ended_at = new Date().toISOString()
  setRunningTimer(null)
  showToast({ text: mutationMessages.timerStopped(task.short_id, formatElapsed(running)) })
  enqueueRecordMutation({
    queueKey: QUEUE_KEY,
    label: mutationMessages.timerStopped(task.short_id, formatElapsed(running)),
    async send(idempotencyKey) {
      const id = entry.id || startedEntryId
      try {
        const to = 'PATCH /api/v1/time-entries/:id'
        const body = stopBody(running, ended_at)
        const reply = await requestEndpointForResult<typeof updateTimeEntry>(
          to,
          { params: { id }, body },
          { idempotencyKey },
        )
        recordOwnOperation(reply.operation_id)
      } catch (error) {
        // The entry was deleted by another client, so nothing is left to stop.
        if (!(error instanceof ApiResponseError) || error.status !== 404) throw error
      }
      refetchTaskTime(task.id)
    },
    onRejected: () => setRunningTimer(running),
  })
}

/**
 * A stop that was delayed ends at the time of the click, not when the server is back. One that is
 * sent at once uses the clock of the server.
 */
function stopBody(
  { entry }: RunningTimer,
  ended_at: string,
): { running: false } | { ended_at: string } {
  const waited = Date.now() - Date.parse(ended_at)
  return waited > 5_000 && ended_at > entry.started_at ? { ended_at } : { running: false }
}

const formatElapsed = ({ entry }: RunningTimer): string =>
  formatTimer(elapsedSeconds(entry.started_at))
