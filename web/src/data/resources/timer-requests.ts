import { DAY_MS } from '#lib/durations.ts'
import type {
  createTimeEntry,
  getTimeEntry,
  listTaskTimeEntries,
  TimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { toRevision } from '../mutations/record-revision.ts'
import { recordReplica, takeRecord } from './held-records.ts'
import type { RunningTimer } from './timer.ts'

/** After this time the server stops a timer. */
const MAX_TIMER_MS = DAY_MS

/** The start of a timer, as it is to be sent. */
interface TimerStart {
  task_id: string
  /** When the person has started it. */
  started_at: string
  /** Whether the timer runs from then, not from now. */
  isDelayed: boolean
  /** A running timer that was started later, which goes on. */
  newer: RunningTimer | null
}

/**
 * Starts a timer, or logs its time until a newer one was started. Returns its entry; undefined if
 * an earlier attempt has created it, and somebody has deleted it since.
 */
export async function startTimerEntry(
  start: TimerStart,
  idempotencyKey: string,
): Promise<TimeEntry | undefined> {
  const { task_id, started_at } = start
  const params = { id: task_id }
  for (const body of toBodies(start)) {
    try {
      const to = 'POST /api/v1/tasks/:id/time-entries'
      const options = { idempotencyKey }
      const { body: entry, changeNumber } = await requestEndpointForResult<typeof createTimeEntry>(
        to,
        { params, body },
        options,
      )
      await takeRecord({ type: 'time_entry', record: entry }, changeNumber)
      return entry
    } catch (error) {
      if (!isKeyReused(error)) throw error
    }
  }
  // An earlier attempt has logged the time until a timer started that is not the running one now.
  const query = { user_id: 'me', limit: 200 } as const
  const from = 'GET /api/v1/tasks/:id/time-entries'
  const { data } = await requestEndpoint<typeof listTaskTimeEntries>(from, { params, query })
  const found = data.find((entry) => entry.started_at === started_at)
  if (found) await recordReplica.read([found.id])
  return found
}

/**
 * What this attempt sends, and then what earlier ones may have sent whose replies were lost: the
 * server repeats its reply to the body that it has accepted under the key.
 */
function toBodies({ started_at, isDelayed, newer }: TimerStart) {
  const timers = [{ running: true }, { started_at }]
  if (!isDelayed) return timers
  if (!newer) return timers.toReversed()
  const latest = Date.parse(started_at) + MAX_TIMER_MS
  const ended_at = new Date(Math.min(Date.parse(newer.entry.started_at), latest)).toISOString()
  return [{ started_at, ended_at }, ...timers]
}

/** Whether an attempt with another body, whose reply was lost, was applied under this key. */
const isKeyReused = (error: unknown): boolean =>
  error instanceof ApiResponseError && error.code === 'idempotency_key_reused'

/** Stops a timer now. */
export const stopNow = ({ entry }: RunningTimer, key: string): Promise<void> =>
  patchEntry(entry.id, { running: false }, { idempotencyKey: key })

/**
 * Stops a timer at an earlier time, or now if it was started later. An entry that has ended later
 * gets the earlier end: another timer was started before the server heard of this stop, or 24 hours
 * had passed. One that has ended earlier stays as it is: another device may have stopped it, or an
 * attempt whose reply was lost.
 */
export async function stopAt(
  { entry: { id }, task }: RunningTimer,
  ended_at: string,
  key: string,
): Promise<void> {
  const from = 'GET /api/v1/time-entries/:id'
  const entry = await requestEndpoint<typeof getTimeEntry>(from, { params: { id } })
  const hadStarted = entry.started_at !== null && entry.started_at < ended_at
  const options = { idempotencyKey: key }
  if (entry.is_running)
    return patchEntry(id, hadStarted ? { ended_at } : { running: false }, options)
  if (!hadStarted || entry.ended_at === null || entry.ended_at <= ended_at) return
  try {
    if (!isEdited(entry))
      return await patchEntry(id, { ended_at }, { ...options, ifMatch: toRevision(entry) })
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.status !== 412) throw error
  }
  showToast({ text: outcomeMessages.timerEdited(task.short_id), tone: 'trouble' })
}

/** Whether somebody has changed a finished entry since it was created, or since its timer ended. */
function isEdited({ started_at, ended_at, created_at, updated_at }: TimeEntry): boolean {
  if (updated_at === created_at || updated_at === ended_at) return false
  return Date.parse(ended_at ?? '') - Date.parse(started_at ?? '') !== MAX_TIMER_MS
}

async function patchEntry(
  id: string,
  body: CallInput<typeof updateTimeEntry>['body'],
  options: { idempotencyKey: string; ifMatch?: string },
): Promise<void> {
  const to = 'PATCH /api/v1/time-entries/:id'
  try {
    const { body: record, changeNumber } = await requestEndpointForResult<typeof updateTimeEntry>(
      to,
      { params: { id }, body },
      options,
    )
    await takeRecord({ type: 'time_entry', record }, changeNumber)
  } catch (error) {
    if (!isKeyReused(error)) throw error
  }
}
