import { ApiResponseError } from '../../lib/http/problem.ts'
import type { CallOptions } from '../../lib/http/request-endpoint.ts'
import type { Atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { showToast } from '../app/toasts.ts'
import { enqueueMutation, mutationLog } from './mutation-queue.ts'
import type { DeletableNoun } from './stored-mutation.ts'

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
      showNotDone(label, error)
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
    await ignoreNotFound(send({ idempotencyKey, keepalive: true }))
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

/** Resolves also if the record is gone, because another client has deleted it. */
export async function ignoreNotFound(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.status !== 404) throw error
  }
}

/**
 * Like `deleteWithUndo`, but the deletion is stored at once: if the page is closed or crashes before
 * the toast ends, or without a network, the next page sends it.
 */
export function deleteStoredWithUndo(
  text: string,
  noun: DeletableNoun,
  { id, task_id }: { id: string; task_id: string },
  hidden: Atom<ReadonlySet<string>>,
): void {
  const key = crypto.randomUUID()
  hidden.set(new Set([...hidden.get(), id]))
  const payload = { kind: 'deletion', noun, id, task_id } as const
  mutationLog.add({ key, queueKey: key, label: text, payload }, { isReserved: true })
  showToast({
    text,
    undo: () => void mutationLog.discard(key),
    onEnd: () => mutationLog.release(key),
  })
}

/** Shows the API's message about a write that was rejected. */
export function showNotDone(label: string, error: unknown): void {
  if (!(error instanceof ApiResponseError)) return
  const why = error.details[0]?.message ?? error.message
  const text = mutationMessages.notDone(label, why)
  showToast({ text, tone: 'trouble', request_id: error.request_id })
}
