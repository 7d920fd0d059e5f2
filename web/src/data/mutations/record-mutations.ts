import { ApiResponseError } from '../../lib/http/problem.ts'
import type { CallOptions } from '../../lib/http/request-endpoint.ts'
import type { Atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { enqueueMutation } from './mutation-queue.ts'

/** A queued write of a record other than a task. The caller shows its effect at once. */
export interface RecordMutation {
  /** Mutations with the same key, the id of the record, are sent one after the other. */
  queueKey: string
  /** Describes the mutation, for messages. */
  label: string
  /** Sends it under an idempotency key: a new one, or that of an earlier attempt. */
  send: (key: string) => Promise<void>
  /** Reverts what is shown. */
  onRejected?: (error: unknown) => void
  key?: string
}

/** Queues a write and shows the API's message if it is rejected. Returns its idempotency key. */
export function enqueueRecordMutation({
  queueKey,
  label,
  send,
  onRejected,
  key,
}: RecordMutation): string {
  const idempotencyKey = key ?? crypto.randomUUID()
  enqueueMutation({
    key: idempotencyKey,
    queueKey,
    label,
    send: () => send(idempotencyKey),
    onRejected(error) {
      onRejected?.(error)
      if (!(error instanceof ApiResponseError)) return
      const why = error.details[0]?.message ?? error.message
      showToast({
        text: mutationMessages.notDone(label, why),
        tone: 'trouble',
        request_id: error.request_id,
      })
    },
  })
  return idempotencyKey
}

interface RecordDeletion {
  id: string
  /** The ids of the hidden records, whose deletion can still be undone. */
  hidden: Atom<ReadonlySet<string>>
  send: (options: CallOptions) => Promise<unknown>
  /** Called once the record is deleted, by this request or another. */
  onDeleted: () => void
}

/**
 * Deletes a record that cannot be restored. It is hidden at once and the request is sent when the
 * toast ends, so that it can be undone until then. `keepalive` sends it even as the page unloads.
 */
export function deleteWithUndo(
  text: string,
  { id, hidden, send, onDeleted }: RecordDeletion,
): void {
  const show = () => hidden.set(new Set([...hidden.get()].filter((one) => one !== id)))
  const remove = async (idempotencyKey: string) => {
    try {
      await send({ idempotencyKey, keepalive: true })
    } catch (error) {
      if (!(error instanceof ApiResponseError) || error.status !== 404) throw error
    }
    onDeleted()
  }
  hidden.set(new Set([...hidden.get(), id]))
  showToast({
    text,
    undo: show,
    onEnd: () =>
      void enqueueRecordMutation({
        queueKey: crypto.randomUUID(),
        label: text,
        send: remove,
        onRejected: show,
      }),
  })
}
