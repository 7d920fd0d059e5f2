import type { Endpoint, EndpointReply } from '#wire/endpoint.ts'
import { ApiResponseError, isRetryable } from '../../lib/http/problem.ts'
import type { CallInput, CallResult, EndpointAddress } from '../../lib/http/request-endpoint.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { type MutationUndo, showToast, undoOf } from '../app/toasts.ts'
import type { NewMutation } from './mutation-entry.ts'
import { cancelMutation, mutationLog, mutationQueue } from './mutation-queue.ts'
import type { AnyRecordEdit, DeletableNoun, StoredMutation } from './stored-mutation.ts'

/** A queued write of a record other than a task. The caller shows its effect at once. */
interface RecordMutation<E extends Endpoint> {
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
 * Queues a change of a record, which is shown at once, and returns its undo. A text replaces one of the same
 * fields that the server has refused.
 */
export function enqueueRecordEdit(
  payload: AnyRecordEdit,
  onRejected?: (error: unknown) => void,
): MutationUndo {
  const key = crypto.randomUUID()
  if (onRejected) pageCallbacks.set(key, { onRejected })
  const { base, label, patch } = payload
  const replaced = findRecordEdits(base.id).filter(
    ({ payload: { text, patch: earlier } }) =>
      text !== undefined && Object.keys(earlier).every((name) => name in patch),
  )
  const replacedKeys = replaced.map((one) => one.key)
  const entry = { key, queueKey: base.id, label, payload, replacedKeys }
  mutationLog.add(entry)
  return undoOf(entry)
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

/** Queues a mutation, and returns its undo. */
export function enqueueWithUndo(entry: Omit<NewMutation<StoredMutation>, 'key'>): MutationUndo {
  const made = { ...entry, key: crypto.randomUUID() }
  mutationLog.add(made)
  return undoOf(made)
}

/** Queues the deletion of a record, which is hidden at once, and returns its undo. */
export const queueDeletion = (noun: DeletableNoun, label: string, id: string): MutationUndo =>
  enqueueWithUndo({ queueKey: id, label, payload: { kind: 'deletion', noun, id } })

/** Deletes a record, with undo in the toast. */
export const deleteWithUndo = (label: string, noun: DeletableNoun, id: string): void =>
  void showToast({ text: label, undo: queueDeletion(noun, label, id) })

/** Says why a write was rejected. */
export function showNotDone(label: string, error: unknown): void {
  const isRefused = error instanceof ApiResponseError
  if (!(error instanceof Error) || (!isRefused && isRetryable(error))) return
  const text = mutationMessages.notDone(label, error.message)
  showToast({ text, tone: 'trouble', error })
}
