import { ApiResponseError } from '../../lib/http/problem.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { showToast } from '../app/toasts.ts'
import { classifyFailure } from '../mutations/failed-attempt.ts'
import type { CreatedRecord, MutationKind } from '../mutations/mutation-entry.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { omitUnchanged } from '../tasks/resolve-task-ids.ts'
import { waitUntilCreated } from '../tasks/task-conflicts.ts'
import { TaskGoneError } from '../tasks/task-queries.ts'
import { getServerTask, isTempId } from '../tasks/task-store.ts'
import { getHeldRecord, recordReplica } from './held-records.ts'
import {
  fetchServerTimer,
  isTempEntryId,
  type RunningTimer,
  type TimedTask,
  toTempEntryId,
} from './timer.ts'
import { startTimerEntry, stopAt, stopNow } from './timer-requests.ts'

/** A click that is sent later than this counts at its own time, an earlier one by the server's clock. */
const MAX_PROMPT_MS = 5_000

/**
 * The start of a timer. A stop or another start that follows gets the id of the entry that it
 * creates.
 */
export const timerStartKind: MutationKind<MutationOfKind<'timer-start'>> = {
  async send(payload, attempt) {
    const { before } = payload
    const { key, madeAt } = attempt
    const tempId = payload.task.id
    const task = resolveTask(payload.task, { tempId, id: await waitUntilCreated(tempId, attempt) })
    attempt.assertRecent()
    // A temporary id looks like the short id of a task in a project with the prefix NEW.
    if (isTempId(task.id)) throw new TaskGoneError(mutationMessages.goneMeanwhile)
    const started_at = new Date(madeAt).toISOString()
    const isDelayed = Date.now() - madeAt > MAX_PROMPT_MS
    // The server would stop it only now.
    if (isDelayed && before && !isTempEntryId(before.entry.id))
      await stopPrevious(before, started_at, `${key}-before`)
    const newer = isDelayed ? await fetchNewerTimer(started_at) : null
    const entry = await startTimerEntry({ task_id: task.id, started_at, isDelayed, newer }, key)
    if (newer && entry?.is_running === false)
      showToast({ text: outcomeMessages.timerLogged(task.short_id, newer.task.short_id) })
    return entry ? [{ tempId: toTempEntryId(key), id: entry.id }] : []
  },
  revert: ({ task }, error) => showNotDone(mutationMessages.timerStarted(task.short_id), error),
  resolveTempId(payload, created) {
    const { task, before } = payload
    const resolved = {
      ...payload,
      task: resolveTask(task, created),
      before: before && resolveRunning(before, created),
    }
    return omitUnchanged(resolved, payload)
  },
}

/**
 * The stop of a timer. While its start is refused and waits for the person, so does the stop; without
 * the start it has nothing to stop.
 */
export const timerStopKind: MutationKind<MutationOfKind<'timer-stop'>> = {
  async send({ running, ended_at }, { key }) {
    const { entry } = running
    if (isTempEntryId(entry.id)) assertNotRefused(entry.id)
    else {
      const isDelayed = Date.now() - Date.parse(ended_at) > MAX_PROMPT_MS
      await stopEntry(isDelayed ? stopAt(running, ended_at, key) : stopNow(running, key), running)
    }
    return []
  },
  revert: (_, error) => showNotDone(outcomeMessages.timer, error),
  resolveTempId: (payload, created) =>
    omitUnchanged({ ...payload, running: resolveRunning(payload.running, created) }, payload),
}

/** Stops an entry, unless somebody has deleted it. */
async function stopEntry(stopping: Promise<void>, { entry }: RunningTimer): Promise<void> {
  await ignoreNotFound(stopping)
  if (getHeldRecord('time_entry', entry.id)?.is_running) await recordReplica.read([entry.id])
}

/** Throws if the start of an entry is refused: the person may send it again, and the stop after it. */
function assertNotRefused(tempEntryId: string): void {
  const start = mutationQueue.get().find(({ key }) => toTempEntryId(key) === tempEntryId)
  if (!start?.refusal) return
  const error = { code: 'not_found', message: start.refusal.reason, details: [], request_id: '' }
  throw new ApiResponseError(404, error)
}

/** The next timer starts also if the server refuses to correct this one, as in a project archived since. */
async function stopPrevious(timer: RunningTimer, ended_at: string, key: string): Promise<void> {
  try {
    await stopEntry(stopAt(timer, ended_at, key), timer)
  } catch (error) {
    if (classifyFailure(error, 0, Math.random) !== 'refused') throw error
    showNotDone(outcomeMessages.timer, error)
  }
}

/** The running timer, if it was started later: what the person has wanted last goes on. */
async function fetchNewerTimer(started_at: string): Promise<RunningTimer | null> {
  const running = await fetchServerTimer()
  return running && running.entry.started_at > started_at ? running : null
}

const resolveTask = (task: TimedTask, { tempId, id }: CreatedRecord): TimedTask =>
  task.id === tempId
    ? { ...task, id, short_id: getServerTask(id)?.short_id ?? task.short_id }
    : task

const resolveRunning = ({ entry, task }: RunningTimer, created: CreatedRecord): RunningTimer => ({
  entry: entry.id === created.tempId ? { ...entry, id: created.id } : entry,
  task: resolveTask(task, created),
})
