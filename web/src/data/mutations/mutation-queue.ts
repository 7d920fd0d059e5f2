import { ApiResponseError, isRetryable } from '../../lib/http/problem.ts'
import { rateLimitPause } from '../../lib/http/request-pause.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { atom } from '../../lib/state/atom.ts'
import {
  deleteStoredMutation,
  type StoredMutation,
  storeMutation,
} from '../offline/stored-mutations.ts'
import { sessionMismatch } from '../session/current-session.ts'

/** A write that is already shown and has to reach the server. */
export interface Mutation {
  /** Its Idempotency-Key: the server applies it once, however often it is sent. */
  key: string
  /** Mutations with the same key, mostly the id of a record, are sent one after the other. */
  queueKey: string
  /** Describes the mutation, for the message that it is not saved. */
  label: string
  send: () => Promise<void>
  /** Stored in the browser, so that the mutation is sent even if the page is left before. */
  stored?: StoredMutation
  /** Called when the server has rejected it for good, to revert what is shown. */
  onRejected: (error: unknown) => void
}

/** An unsent mutation of an earlier page, and whether it is too old to be sent without asking. */
export interface AbandonedMutation {
  key: string
  isExpired: boolean
}

/** A mutation in the queue and its state. */
export interface QueuedMutation extends Mutation {
  /** `held` while it waits for the person to resolve a conflict, or for its task's real id. */
  state: 'waiting' | 'sending' | 'held' | 'unsaved'
  attempts: number
  error?: unknown
  /** Much may have changed since it was made, so it is never discarded without asking. */
  mayBeOutdated?: boolean
}

const MAX_PARALLEL_REQUESTS = 4
/** The person may have lost access, or the record may have been deleted since. */
const STATUSES_OF_LOST_TARGET = [403, 404]
const RETRY_DELAYS_MS = [500, 2_000, 8_000]

/** All mutations that the server has not acknowledged, in the order in which they were made. */
export const mutationQueue = atom<readonly QueuedMutation[]>([])

/** Queues a mutation behind those with its queue key; at most four are sent at a time. */
export function enqueueMutation(mutation: Mutation): void {
  if (mutation.stored) storeMutation(mutation.key, mutation.stored)
  addToQueue({ ...mutation, state: 'waiting', attempts: 0, mayBeOutdated: !navigator.onLine })
}

/** Queues a mutation that an earlier page has left; if it is too old, the person is asked first. */
export const resumeMutation = (mutation: Mutation, isExpired: boolean): void =>
  addToQueue({
    ...mutation,
    state: isExpired ? 'unsaved' : 'waiting',
    attempts: 0,
    mayBeOutdated: true,
  })

function addToQueue(one: QueuedMutation): void {
  mutationQueue.set([...mutationQueue.get(), one])
  sendNext()
}

/** Retries the mutations that could not be sent, e.g. when the server is back. */
export function retryFailedMutations(): void {
  for (const one of mutationQueue.get()) if (one.state === 'unsaved') retryMutation(one.key)
}

/** Retries a mutation that could not be sent, with a new count of attempts. */
export function retryMutation(key: string): void {
  update(key, { state: 'waiting', attempts: 0 })
  sendNext()
}

/** Discards a mutation and reverts what is shown. */
export function discardMutation(key: string): void {
  const queued = mutationQueue.get().find((one) => one.key === key)
  if (!queued || queued.state === 'sending') return
  remove(key)
  queued.onRejected(queued.error)
  sendNext()
}

/** Holds a mutation until a choice: it blocks its own queue key, but no sending slot. */
export async function holdMutation(key: string, choice: Promise<void>): Promise<void> {
  update(key, { state: 'held' })
  sendNext()
  await choice
  update(key, { state: 'sending' })
}

/** Cancels a mutation that was not sent yet; returns false if it may have been sent. */
export function cancelMutation(key: string): boolean {
  const queued = mutationQueue.get().find((one) => one.key === key)
  if (queued?.state !== 'waiting' || queued.attempts > 0) return false
  remove(key)
  return true
}

/** Drops all unsent mutations, on signing out. */
export const clearMutationQueue = (): void => mutationQueue.set([])

/** Whether closing the page now would lose a mutation. */
export const hasUnsentMutations = (): boolean => mutationQueue.get().length > 0

function sendNext(): void {
  // In another session a write would go to the wrong workspace, or in another person's name.
  if (hasSessionEnded.get() || sessionMismatch.get() || !navigator.onLine) return
  if (rateLimitPause.get() > 0) return
  const blockedKeys = new Set<string>()
  let sending = mutationQueue.get().filter(({ state }) => state === 'sending').length
  for (const one of mutationQueue.get()) {
    const isFirst = !blockedKeys.has(one.queueKey)
    blockedKeys.add(one.queueKey)
    if (!isFirst || one.state !== 'waiting' || sending >= MAX_PARALLEL_REQUESTS) continue
    sending += 1
    void attempt(one)
  }
}

async function attempt(mutation: QueuedMutation): Promise<void> {
  const { key, attempts } = mutation
  update(key, { state: 'sending' })
  try {
    await mutation.send()
    remove(key)
  } catch (error) {
    if (error instanceof ApiResponseError && error.status === 401) {
      update(key, { state: 'waiting' })
      return
    }
    if (
      mutation.mayBeOutdated &&
      error instanceof ApiResponseError &&
      STATUSES_OF_LOST_TARGET.includes(error.status)
    ) {
      update(key, { state: 'unsaved', error })
    } else if (!isRetryable(error)) {
      remove(key)
      mutation.onRejected(error)
    } else if (error instanceof ApiResponseError && error.code === 'rate_limit_exceeded') {
      update(key, { state: 'waiting' })
    } else if (error instanceof ApiResponseError && error.status === 429) {
      retryLater(key, attempts, (error.retryAfter ?? 1) * 1000 + Math.random() * 500)
    } else if (attempts < RETRY_DELAYS_MS.length) {
      retryLater(key, attempts + 1, RETRY_DELAYS_MS[attempts] ?? 0)
    } else update(key, { state: 'unsaved', mayBeOutdated: true, error })
  }
  sendNext()
}

/** Retries after a delay. The state stays `sending`, so that its queue key remains blocked. */
function retryLater(key: string, tries: number, ms: number): void {
  update(key, { state: 'sending', attempts: tries })
  setTimeout(() => {
    update(key, { state: 'waiting' })
    sendNext()
  }, ms)
}

function update(key: string, change: Partial<QueuedMutation>): void {
  mutationQueue.set(
    mutationQueue.get().map((one) => (one.key === key ? { ...one, ...change } : one)),
  )
}

function remove(key: string): void {
  deleteStoredMutation(key)
  mutationQueue.set(mutationQueue.get().filter((one) => one.key !== key))
}

addEventListener('online', () => {
  retryFailedMutations()
  sendNext()
})
hasSessionEnded.subscribe(sendNext)
sessionMismatch.subscribe(sendNext)
// A random delay, so that not all clients continue at the same moment.
rateLimitPause.subscribe(() => setTimeout(sendNext, Math.random() * 500))
addEventListener('beforeunload', (event) => {
  if (hasUnsentMutations()) event.preventDefault()
})
