import { useQuery } from '@tanstack/react-query'
import type { getTimer, Timer } from '#resources/time-entries/internal.ts'
import { formatTimer } from '../../lib/dates/duration.ts'
import { elapsedSeconds } from '../../lib/dates/elapsed.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { queryClient } from '../cache/query-client.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import type { Task } from '../tasks/task-patch.ts'

/** What the timer shows of its task. */
export type TimedTask = Pick<Task, 'id' | 'project_id' | 'short_id' | 'title'>

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

/** The running timer as the server has it. */
export const fetchServerTimer = async (): Promise<RunningTimer | null> =>
  toRunningTimer(await requestEndpoint<typeof getTimer>('GET /internal/timer', {}))

/** The running timer as the server has it, after what it may not have got yet. */
export const fetchTimer = async (): Promise<RunningTimer | null> =>
  applyUnsent(await fetchServerTimer())

/** The timer after the starts and stops that the server may not have got yet. */
function applyUnsent(stored: RunningTimer | null): RunningTimer | null {
  const unsent = mutationQueue
    .get()
    .filter(({ queueKey, refusal }) => queueKey === QUEUE_KEY && !refusal)
  const last = unsent.at(-1)
  if (last?.payload.kind === 'timer-stop') return null
  if (last?.payload.kind !== 'timer-start') return stored
  const { task } = last.payload
  // If the server has got this start, its entry has an id, which a stop needs.
  if (unsent.length === 1 && stored?.task.id === task.id) return stored
  const started_at = new Date(last.madeAt).toISOString()
  return { entry: { id: toTempEntryId(last.key), started_at }, task }
}

/** The running timer of a reply. */
export const toRunningTimer = ({ entry, task }: Timer): RunningTimer | null =>
  entry && task && entry.started_at !== null
    ? { entry: { id: entry.id, started_at: entry.started_at }, task }
    : null

/** The running timer that is shown. */
export const getRunningTimer = (): RunningTimer | null | undefined =>
  queryClient.getQueryData<RunningTimer | null>(QUERY_KEY)
/** Shows another running timer, or none. */
export const setRunningTimer = (running: RunningTimer | null): void => {
  // A reply that is under way would be older than this value.
  void queryClient.cancelQueries({ queryKey: QUERY_KEY })
  queryClient.setQueryData<RunningTimer | null>(QUERY_KEY, running)
}

/** Starts a timer on a task, shown at once. The server stops another one, as the toast says. */
export function startTimer({ id, project_id, short_id, title }: TimedTask): void {
  const before = getRunningTimer() ?? null
  if (before?.task.id === id) return
  const task = { id, project_id, short_id, title }
  const key = crypto.randomUUID()
  const started_at = new Date().toISOString()
  setRunningTimer({ entry: { id: toTempEntryId(key), started_at }, task })
  showToast({
    text: before
      ? mutationMessages.timerMoved(short_id, before.task.short_id, formatElapsed(before))
      : mutationMessages.timerStarted(short_id),
  })
  mutationLog.add({
    key,
    queueKey: QUEUE_KEY,
    label: mutationMessages.timerStarted(short_id),
    payload: { kind: 'timer-start', task, before },
  })
}

/** Stops the running timer, shown at once; the toast says how long it was running. */
export function stopTimer(): void {
  const running = getRunningTimer()
  if (!running) return
  setRunningTimer(null)
  const label = mutationMessages.timerStopped(running.task.short_id, formatElapsed(running))
  showToast({ text: label })
  mutationLog.add({
    key: crypto.randomUUID(),
    queueKey: QUEUE_KEY,
    label,
    payload: { kind: 'timer-stop', running, ended_at: new Date().toISOString() },
  })
}

const TEMP_ENTRY_PREFIX = 'start '
/** Stands for the entry that a start will create, until the server has answered it. */
export const toTempEntryId = (key: string): string => TEMP_ENTRY_PREFIX + key
/** Whether the start of a timer has created no entry. */
export const isTempEntryId = (id: string): boolean => id.startsWith(TEMP_ENTRY_PREFIX)

const formatElapsed = ({ entry }: RunningTimer): string =>
  formatTimer(elapsedSeconds(entry.started_at))
