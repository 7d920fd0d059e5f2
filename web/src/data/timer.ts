import { useQuery } from '@tanstack/react-query'
import type {
  createTimeEntry,
  TimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import type { getTimer, Timer } from '#resources/time-entries/internal.ts'
import { answered, call } from '../lib/call.ts'
import { timerOf } from '../lib/duration.ts'
import { elapsed } from '../lib/elapsed.ts'
import { Problem } from '../lib/problem.ts'
import { m } from '../messages/data.ts'
import { noteOwn } from './own.ts'
import { sendRecord } from './records.ts'
import { queries } from './refetch.ts'
import type { Task } from './task-view.ts'
import { changed } from './time-entries.ts'
import { toast } from './toasts.ts'

type TimedTask = Pick<Task, 'id' | 'project_id' | 'short_id' | 'title'>

/** The running timer of the person: since when, and on which task. */
export interface Running {
  entry: { id: string; started_at: string }
  task: TimedTask
}

const KEY = ['timer']
const LANE = 'timer'

/** The person's running timer, if there is one; other tabs and devices are heard of by live updates. */
export function useTimer(): Running | undefined {
  const { data } = useQuery({ queryKey: KEY, queryFn: readTimer, staleTime: 60_000 })
  return data ?? undefined
}

const readTimer = async (): Promise<Running | null> =>
  runningOf(await call<typeof getTimer>('GET /internal/timer', {}))

const runningOf = ({ entry, task }: Timer): Running | null =>
  entry && task && entry.started_at !== null
    ? { entry: { id: entry.id, started_at: entry.started_at }, task }
    : null

const now = (): Running | null | undefined => queries.getQueryData<Running | null>(KEY)
const show = (running: Running | null): void => {
  // What is being read was read before this.
  void queries.cancelQueries({ queryKey: KEY })
  queries.setQueryData<Running | null>(KEY, running)
}

/** Starts a timer on a task, shown at once; the one that ran is stopped by that, and the toast says so. */
export function startTimer({ id, project_id, short_id, title }: TimedTask): void {
  const before = now()
  if (before?.task.id === id) return
  const task = { id, project_id, short_id, title }
  show({ entry: { id: '', started_at: new Date().toISOString() }, task })
  toast({
    text: before
      ? m.timerMoved(short_id, before.task.short_id, lasted(before))
      : m.timerStarted(short_id),
  })
  sendRecord({
    lane: LANE,
    label: m.timerStarted(short_id),
    async send(idempotencyKey) {
      const to = 'POST /api/v1/tasks/:id/time-entries'
      const sent = { params: { id }, body: { running: true } }
      const reply = await answered<typeof createTimeEntry>(to, sent, { idempotencyKey })
      noteOwn(reply.operation_id)
      const entry: TimeEntry = reply.body
      started = entry.id
      if (now()?.task.id === id) show(runningOf({ entry, task }))
      changed(id)
      if (before) changed(before.task.id)
    },
    refused: () => show(before ?? null),
  })
}

/** The entry that the last start made: a stop that was meant before its reply stops that. */
let started = ''

/** Stops the running timer, shown at once; the toast says how long it ran. */
export function stopTimer(): void {
  const running = now()
  if (!running) return
  const { entry, task } = running
  const ended_at = new Date().toISOString()
  show(null)
  toast({ text: m.timerStopped(task.short_id, lasted(running)) })
  sendRecord({
    lane: LANE,
    label: m.timerStopped(task.short_id, lasted(running)),
    async send(idempotencyKey) {
      const id = entry.id || started
      try {
        const to = 'PATCH /api/v1/time-entries/:id'
        const body = stopBody(running, ended_at)
        const reply = await answered<typeof updateTimeEntry>(
          to,
          { params: { id }, body },
          { idempotencyKey },
        )
        noteOwn(reply.operation_id)
      } catch (error) {
        // It was deleted, or stopped, elsewhere: what was meant is so.
        if (!(error instanceof Problem) || error.status !== 404) throw error
      }
      changed(task.id)
    },
    refused: () => show(running),
  })
}

/**
 * A stop that had to wait counts from when it was meant, not from when the server is back; one that is
 * sent at once leaves the clock to the server.
 */
function stopBody({ entry }: Running, ended_at: string): { running: false } | { ended_at: string } {
  const waited = Date.now() - Date.parse(ended_at)
  return waited > 5_000 && ended_at > entry.started_at ? { ended_at } : { running: false }
}

const lasted = ({ entry }: Running): string => timerOf(elapsed(entry.started_at))
