import type { createTimeEntry, updateTimeEntry } from '#resources/time-entries/contract.ts'
import { requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
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

/** The start of a timer. A stop that follows gets the id of the entry that it creates. */
export const timerStartKind: MutationKind<MutationOfKind<'timer-start'>> = {
  async send({ task, before }, { key }) {
    const to = 'POST /api/v1/tasks/:id/time-entries'
    const sent = { params: { id: task.id }, body: { running: true } }
    const options = { idempotencyKey: key }
    const reply = await requestEndpointForResult<typeof createTimeEntry>(to, sent, options)
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
}

/** The stop of a timer. One whose start was refused has nothing to stop. */
export const timerStopKind: MutationKind<MutationOfKind<'timer-stop'>> = {
  async send({ running, ended_at }, { key }) {
    const { entry, task } = running
    if (!isTempEntryId(entry.id)) {
      // A delayed stop ends at the time of the click; one that is sent at once by the server's clock.
      const isDelayed = Date.now() - Date.parse(ended_at) > 5_000 && ended_at > entry.started_at
      const sent = {
        params: { id: entry.id },
        body: isDelayed ? { ended_at } : { running: false as const },
      }
      await ignoreNotFound(stopEntry(sent, key))
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

async function stopEntry(
  sent: { params: { id: string }; body: { running: false } | { ended_at: string } },
  idempotencyKey: string,
): Promise<void> {
  const to = 'PATCH /api/v1/time-entries/:id'
  const options = { idempotencyKey }
  const reply = await requestEndpointForResult<typeof updateTimeEntry>(to, sent, options)
  recordOwnOperation(reply.operation_id)
}
