import type {
  createTimeEntry,
  getTimeEntry,
  updateTimeEntry,
} from '#resources/time-entries/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import {
  type CallInput,
  requestEndpoint,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { refetchTaskTime } from './time-entries.ts'
import {
  getRunningTimer,
  isTempEntryId,
  setRunningTimer,
  toRunningTimer,
  toTempEntryId,
} from './timer.ts'

/** A click that is sent later than this counts at its own time, an earlier one by the server's clock. */
const MAX_PROMPT_MS = 5_000

/**
 * The start of a timer. A stop or another start that follows gets the id of the entry that it
 * creates.
 */
export const timerStartKind: MutationKind<MutationOfKind<'timer-start'>> = {
  async send({ task, before }, { key, madeAt }) {
    const started_at = new Date(madeAt).toISOString()
    const isDelayed = Date.now() - madeAt > MAX_PROMPT_MS
    // The server would stop it only now.
    if (isDelayed && before && !isTempEntryId(before.entry.id))
      await ignoreNotFound(stopIfRunning(before.entry.id, started_at, `${key}-before`))
    const reply = await sendOneBody({ running: true }, { started_at }, isDelayed, (body) =>
      requestEndpointForResult<typeof createTimeEntry>(
        'POST /api/v1/tasks/:id/time-entries',
        { params: { id: task.id }, body },
        { idempotencyKey: key },
      ),
    )
    recordOwnOperation(reply.operation_id)
    const tempId = toTempEntryId(key)
    if (getRunningTimer()?.entry.id === tempId)
      setRunningTimer(toRunningTimer({ entry: reply.body, task }))
    refetchTaskTime(task.id)
    if (before) refetchTaskTime(before.task.id)
    return [{ tempId, id: reply.body.id }]
  },
  revert({ task, before }, error, key) {
    if (getRunningTimer()?.entry.id === toTempEntryId(key)) setRunningTimer(before)
    // A stop may have been shown meanwhile, and the request may have been applied.
    refetchTaskTime(task.id)
    showNotDone(mutationMessages.timerStarted(task.short_id), error)
  },
  resolveTempId(payload, { tempId, id }) {
    const { before } = payload
    return before?.entry.id === tempId
      ? { ...payload, before: { ...before, entry: { ...before.entry, id } } }
      : undefined
  },
}

/** The stop of a timer. One whose start was refused has nothing to stop. */
export const timerStopKind: MutationKind<MutationOfKind<'timer-stop'>> = {
  async send({ running, ended_at }, { key }) {
    const { entry, task } = running
    if (!isTempEntryId(entry.id)) {
      const isDelayed =
        Date.now() - Date.parse(ended_at) > MAX_PROMPT_MS && ended_at > entry.started_at
      const stopping = sendOneBody({ running: false }, { ended_at }, isDelayed, (body) =>
        stopEntry(entry.id, body, key),
      )
      await ignoreNotFound(stopping)
    }
    refetchTaskTime(task.id)
    return []
  },
  revert({ running }, error) {
    setRunningTimer(running)
    refetchTaskTime(running.task.id)
    showNotDone(mutationMessages.timer, error)
  },
  resolveTempId(payload, { tempId, id }) {
    const { running } = payload
    if (running.entry.id !== tempId) return undefined
    return { ...payload, running: { ...running, entry: { ...running.entry, id } } }
  },
}

/**
 * Sends the body of a delayed or of a prompt click. An attempt whose reply was lost may have sent the
 * other one: then the server refuses this one under the same key, and repeats its reply to the other.
 */
async function sendOneBody<Body, Reply>(
  prompt: Body,
  delayed: Body,
  isDelayed: boolean,
  send: (body: Body) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await send(isDelayed ? delayed : prompt)
  } catch (error) {
    const isOther = error instanceof ApiResponseError && error.code === 'idempotency_key_reused'
    if (!isOther) throw error
    return send(isDelayed ? prompt : delayed)
  }
}

/** Stops a timer at an earlier time, unless it has ended already or was started later. */
async function stopIfRunning(id: string, ended_at: string, key: string): Promise<void> {
  const from = 'GET /api/v1/time-entries/:id'
  const entry = await requestEndpoint<typeof getTimeEntry>(from, { params: { id } })
  const hadStarted = entry.started_at !== null && entry.started_at < ended_at
  if (entry.is_running && hadStarted) await stopEntry(id, { ended_at }, key)
}

async function stopEntry(
  id: string,
  body: CallInput<typeof updateTimeEntry>['body'],
  idempotencyKey: string,
): Promise<void> {
  const to = 'PATCH /api/v1/time-entries/:id'
  const sent = { params: { id }, body }
  const options = { idempotencyKey }
  const reply = await requestEndpointForResult<typeof updateTimeEntry>(to, sent, options)
  recordOwnOperation(reply.operation_id)
}
