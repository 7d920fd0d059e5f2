import { NetworkError } from '../../lib/http/problem.ts'
import { operationsOf } from '../../lib/http/request-operations.ts'
import { rateLimitPause, sessionPause } from '../../lib/http/request-pause.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { atom } from '../../lib/state/atom.ts'
import { saveDraft } from '../../lib/state/drafts.ts'
import { showToast } from '../app/toasts.ts'
import { currentSession } from '../session/current-session.ts'
import type { QueuedMutation } from './mutation-entry.ts'
import { MutationLog } from './mutation-log.ts'
import { awaitedKeysOf, blockingKeysOf, type StoredMutation } from './stored-mutation.ts'

/** The name of the IndexedDB database with the unsent mutations. */
export const MUTATION_DATABASE = 'docket-mutations'

/** The key, among the drafts, of a mutation that its page could not store before it ended. */
export const DRAFT_PREFIX = 'mutation.'

/** All mutations that the server has not acknowledged, in the order in which they were made. */
export const mutationQueue = atom<readonly QueuedMutation<StoredMutation>[]>([])

let engine: typeof import('../offline/mutation-engine.ts') | undefined

/** Loads what stores and sends mutations. */
async function loadEngine() {
  engine ??= await import('../offline/mutation-engine.ts')
  return engine
}

// At once: a browser may not load a module again that it could not load before, e.g. offline. If
// this fails, mutations are not stored, which the person is told, and the next page gets them.
loadEngine().catch(() => undefined)

/** The log of this page. */
export const mutationLog = new MutationLog<StoredMutation>({
  storage: {
    write: async (puts, deletedKeys) =>
      (await loadEngine()).writeStoredMutations(puts, deletedKeys),
  },
  // Like a request, code is loaded once the network is back.
  loadKind: (payload) =>
    loadEngine()
      .then(({ loadMutationKind }) => loadMutationKind(payload))
      .catch((error) => {
        throw new NetworkError(error)
      }),
  blockingKeysOf,
  awaitedKeysOf,
  // Without that code this page has sent nothing. It may ask about the person's own value then.
  rebaseOn: (abandoned) => engine?.rebaseOn(abandoned) ?? (() => undefined),
  keepOutcomeOf: (key) => (later) => {
    const operation_ids = operationsOf(key)
    const isItsUndo = later.kind === 'undo' && later.of === key && operation_ids.length > 0
    return isItsUndo ? { ...later, operation_ids } : undefined
  },
  now: Date.now,
  random: Math.random,
  schedule: (run, ms) => setTimeout(run, ms),
  isOnline: () => navigator.onLine,
  // In another session a write would go to the wrong workspace, or in another person's name.
  isPaused: () => hasSessionEnded.get() || sessionPause.get() || rateLimitPause.get() > 0,
  onChange: mutationQueue.set,
})

/** Retries the mutations that could not be sent, e.g. when the server is back. */
export const retryFailedMutations = (): void => mutationLog.retryFailed()

/** Retries a mutation that could not be sent, because the person has asked for it. */
export const retryMutation = (key: string): void => mutationLog.retry(key)

/** Discards a mutation and reverts what is shown. */
export const discardMutation = (key: string): void =>
  void mutationLog
    .discard(key)
    .catch((error: NetworkError) => showToast({ text: error.message, tone: 'trouble' }))

/** Cancels a mutation that was not sent yet or is refused; returns false if it may be applied. */
export const cancelMutation = (key: string): boolean => mutationLog.cancel(key)

/** How many mutations are unsent, also those of other pages that the browser stores. */
export async function countAllUnsentMutations(): Promise<number> {
  const stored = await (await loadEngine()).countStoredEntries()
  // A browser without a database stores none, not even those of this page.
  return Math.max(stored, mutationQueue.get().length)
}

/** Drops all unsent mutations, on signing out. */
export const clearMutationQueue = (): void => mutationLog.clear()

const sendNext = () => mutationLog.sendNext()
addEventListener('online', retryFailedMutations)
hasSessionEnded.subscribe(sendNext)
sessionPause.subscribe(sendNext)
// A random delay, so that not all clients continue at the same moment.
rateLimitPause.subscribe(() => setTimeout(sendNext, Math.random() * 500))
addEventListener('pagehide', () => {
  const workspace_id = currentSession()?.workspace.id
  // A transaction may not end before the page does. The next page takes these over. A draft is a
  // text, so a file cannot be one.
  for (const one of mutationQueue.get()) {
    if (one.storage === 'stored' || one.payload.kind === 'upload') continue
    saveDraft(DRAFT_PREFIX + one.key, JSON.stringify({ ...one, workspace_id }))
  }
})
addEventListener('beforeunload', (event) => {
  if (mutationQueue.get().length > 0) event.preventDefault()
})
