import { useSyncExternalStore } from 'react'
import type { TimeEntry } from '#resources/time-entries/contract.ts'
import type { getTimer } from '#resources/time-entries/internal.ts'
import { formatTimer } from '../../lib/dates/duration.ts'
import { elapsedSeconds } from '../../lib/dates/elapsed.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { mutationLog, mutationQueue } from '../mutations/mutation-queue.ts'
import { bootState } from '../session/boot.ts'
import { isSameValue, type Task } from '../tasks/task-patch.ts'
import { taskReplica } from '../tasks/task-replica.ts'
import { getCachedTask, subscribeToTasks } from '../tasks/task-store.ts'
import {
  compareTexts,
  createLists,
  holdList,
  recordReplica,
  subscribeToHeldRecords,
  takeRecord,
  useHeldList,
} from './held-records.ts'

/** What the timer shows of its task. */
export type TimedTask = Pick<Task, 'id' | 'project_id' | 'short_id' | 'title'>

/** The person's running timer: its entry with the start time, and its task. */
export interface RunningTimer {
  entry: { id: string; started_at: string }
  task: TimedTask
}

const QUEUE_KEY = 'timer'

/** The tasks of timers as the server has told them, for one that the page does not hold. */
const timedTasks = new Map<string, TimedTask>()

/** The person's running entries. There is more than one only until the server has told that it has stopped the former. */
const runningEntries = createLists<TimeEntry>('timer', {
  async load() {
    const { entry, changeNumber } = await readServerTimer()
    return { records: entry ? [{ type: 'time_entry', record: entry }] : [], n: changeNumber }
  },
  pick: ({ type, record }) =>
    type === 'time_entry' &&
    record.is_running &&
    record.user_id === bootState.get()?.session.user.id
      ? record
      : undefined,
  compare: (a, b) => compareTexts(b.started_at ?? '', a.started_at ?? ''),
})('own')

async function readServerTimer() {
  const { body, changeNumber } = await requestEndpointForResult<typeof getTimer>(
    'GET /internal/timer',
    {},
  )
  if (body.task) timedTasks.set(body.task.id, body.task)
  return { ...body, changeNumber }
}

/** Asks the server for the person's running timer. */
export async function fetchServerTimer(): Promise<RunningTimer | null> {
  const { entry, changeNumber } = await readServerTimer()
  if (!entry) return null
  await takeRecord({ type: 'time_entry', record: entry }, changeNumber)
  return toRunningTimer(entry) ?? null
}

/** A running entry; undefined as long as its task is not known. */
function toRunningTimer({ id, started_at, task_id }: TimeEntry): RunningTimer | undefined {
  const task = getCachedTask(task_id) ?? timedTasks.get(task_id)
  if (!task || started_at === null) return undefined
  const { project_id, short_id, title } = task
  return { entry: { id, started_at }, task: { id: task_id, project_id, short_id, title } }
}

/** The person's running timer, if any. */
export function useTimer(): RunningTimer | undefined {
  useHeldList(runningEntries)
  return useSyncExternalStore(subscribeToTimer, getRunningTimer) ?? undefined
}

/** Holds what `getRunningTimer` returns. */
export const holdTimer = (): Promise<void> => holdList(runningEntries)

function subscribeToTimer(listener: () => void): () => void {
  /** The task that was asked for: while it cannot be read, each change of a record would ask again. */
  let requestedId: string | undefined
  const stops = [
    subscribeToHeldRecords(() => {
      const [entry] = runningEntries.read()
      const missingId = entry && !toRunningTimer(entry) ? entry.task_id : undefined
      if (missingId !== undefined && missingId !== requestedId) void taskReplica.read([missingId])
      requestedId = missingId
      listener()
    }),
    mutationQueue.subscribe(listener),
    subscribeToTasks(listener),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

let shownTimer: RunningTimer | null | undefined

/** The running timer after the starts and stops that the server may not have got yet; the same object until it changes. */
export function getRunningTimer(): RunningTimer | null | undefined {
  const [entry] = runningEntries.read()
  const isKnown = recordReplica.getScopeState(runningEntries.name)?.n !== undefined
  const now = applyUnsent(entry ? toRunningTimer(entry) : isKnown ? null : undefined)
  if (!isSameValue(shownTimer, now)) shownTimer = now
  return shownTimer
}

function applyUnsent(stored: RunningTimer | null | undefined): RunningTimer | null | undefined {
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

/** Starts a timer on a task, shown at once. The server stops another one, as the toast says. */
export function startTimer({ id, project_id, short_id, title }: TimedTask): void {
  const before = getRunningTimer() ?? null
  if (before?.task.id === id) return
  const task = { id, project_id, short_id, title }
  const key = crypto.randomUUID()
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
