import type { Endpoint, EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError, isRetryable } from '../../lib/http/problem.ts'
import type { CallInput, CallResult, EndpointAddress } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { type Reversal, showToast } from '../app/toasts.ts'
import { cancelMutation, mutationLog, mutationQueue } from './mutation-queue.ts'
import type { AnyRecordEdit, DeletableNoun } from './stored-mutation.ts'

/** A queued write of a record other than a task. The caller shows its effect at once. */
export interface RecordMutation<E extends Endpoint> {
  /** Its idempotency key; a new one by default. */
  key?: string
  /** Mutations with the same key, the id of the record, are sent one after the other. */
  queueKey: string
  /** Describes the mutation, for messages. */
  label: string
  address: EndpointAddress<E>
  sent: CallInput<E>
  /** The first parts of the keys of the queries that show the record: they are read again. None: the boot data. */
  queries: readonly string[]
  /** Shows what the server has replied instead. Only the page that made the mutation calls it. */
  onReply?: (reply: CallResult<EndpointReply<E>>) => void | Promise<void>
  /** Reverts what the page that made the mutation shows, and says why. By default it only says why. */
  onRejected?: (error: unknown) => void
}

type PageCallbacks = Pick<RecordMutation<Endpoint>, 'onReply' | 'onRejected'>
const pageCallbacks = new Map<string, PageCallbacks>()

/** Queues a write, which a later page sends if this one cannot. */
export function enqueueRecordMutation<E extends Endpoint>(mutation: RecordMutation<E>): void {
  const { key = crypto.randomUUID(), queueKey, label, address, queries } = mutation
  const { onReply, onRejected, sent } = mutation
  pageCallbacks.set(key, {
    // The reply to a request of this key is that of its own endpoint.
    ...(onReply && { onReply: (reply) => onReply(reply as CallResult<EndpointReply<E>>) }),
    ...(onRejected && { onRejected }),
  })
  const payload = { kind: 'request', address, sent, queries, label } as const
  mutationLog.add({ key, queueKey, label, payload })
}

/**
 * Queues a change of a record, which is shown at once. A text replaces one of the same fields that
 * the server has refused.
 */
export function enqueueRecordEdit(
  payload: AnyRecordEdit,
  onRejected?: (error: unknown) => void,
): void {
  const key = crypto.randomUUID()
  if (onRejected) pageCallbacks.set(key, { onRejected })
  const { base, label, patch } = payload
  const replaced = findRecordEdits(base.id).filter(
    ({ payload: { text, patch: earlier } }) =>
      text !== undefined && Object.keys(earlier).every((name) => name in patch),
  )
  const replacedKeys = replaced.map((one) => one.key)
  mutationLog.add({ key, queueKey: base.id, label, payload, replacedKeys })
}

/** The changes of a record that the server has not acknowledged. */
export const findRecordEdits = (id: string) =>
  mutationQueue
    .get()
    .flatMap(({ key, payload, refusal }) =>
      'base' in payload && payload.base.id === id ? [{ key, payload, refusal }] : [],
    )

/** Cancels a write that was not sent yet; returns false if it may have been sent. */
export function cancelRecordMutation(key: string): boolean {
  const isCanceled = cancelMutation(key)
  if (isCanceled) pageCallbacks.delete(key)
  return isCanceled
}

/** The callbacks of a mutation that this page has made. */
export function takePageCallbacks(key: string): PageCallbacks {
  const found = pageCallbacks.get(key)
  pageCallbacks.delete(key)
  return found ?? {}
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
 * Deletes a record that cannot be restored. It is hidden at once and the request is sent when the
 * toast ends, so that it can be undone until then. The deletion is stored at once: if the page is
 * closed or crashes before the toast ends, or without a network, the next page sends it.
 * `parent_id` is that of its task or project, or empty.
 */
export function deleteWithUndo(
  text: string,
  noun: Exclude<DeletableNoun, 'comment'>,
  { id, parent_id }: { id: string; parent_id: string },
): void {
  let key = ''
  const remove = (): Reversal => {
    key = crypto.randomUUID()
    const payload = { kind: 'deletion', noun, id, parent_id } as const
    mutationLog.add({ key, queueKey: id, label: text, payload }, { isReserved: true })
    return () => (mutationLog.cancel(key) ? remove : undefined)
  }
  showToast({ text, undo: remove(), onEnd: () => mutationLog.release(key) })
}

/** Says why a write was rejected. */
export function showNotDone(label: string, error: unknown): void {
  const isRefused = error instanceof ApiResponseError
  if (!(error instanceof Error) || (!isRefused && isRetryable(error))) return
  const text = mutationMessages.notDone(label, error.message)
  showToast({ text, tone: 'trouble', error })
}
