import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import {
  claimStoredMutations,
  countStoredEntries,
  writeStoredMutations,
} from './mutation-storage.ts'

export { countStoredEntries, writeStoredMutations }

let kinds: typeof import('./mutation-kinds.ts') | undefined

async function loadKinds() {
  kinds ??= await import('./mutation-kinds.ts')
  return kinds
}

/**
 * What a stored mutation does. Rejects if the code for it cannot be loaded now. What is loaded is
 * not imported again: an import would never end in a page that is being left.
 */
export async function loadMutationKind(
  payload: StoredMutation,
): Promise<MutationKind<StoredMutation>> {
  return (kinds ?? (await loadKinds())).getMutationKind(payload)
}

/** Rebases later mutations on one that came to nothing, if the code for it is loaded. */
export const rebaseOn = (abandoned: StoredMutation) => kinds?.rebaseOnAbandoned(abandoned)

// Not when it is needed, because the network may be gone then, and a browser may not load a module
// again that it could not load before.
firstScreenLoaded.then(loadKinds).catch(() => undefined)

const CHECK_INTERVAL_MS = 60_000
/** A page that ends holds its lock a moment longer. */
const CHECK_DELAY_MS = 1_000

/**
 * Resumes the mutations that other pages of this person and workspace could not send: those before this
 * one, and those that are closed while it stays open, until `ended`.
 */
export async function resumeStoredMutations(ended: AbortSignal): Promise<void> {
  await takeOver()
  // Without locks nobody knows which pages are open.
  if (!navigator.locks || ended.aborted) return
  const check = () => {
    // A browser that stores nothing now may do so the next time.
    if (!document.hidden && !ended.aborted) takeOver().catch(() => undefined)
  }
  const timer = setInterval(check, CHECK_INTERVAL_MS)
  ended.addEventListener('abort', () => clearInterval(timer))
  addEventListener('online', check, { signal: ended })
  const checkSoon = () => void setTimeout(check, CHECK_DELAY_MS)
  document.addEventListener('visibilitychange', checkSoon, { signal: ended })
  // The page that this one replaces may still hold its lock.
  checkSoon()
}

async function takeOver(): Promise<void> {
  const { entries, unstoredKeys } = await claimStoredMutations()
  // Without a network it may not be possible to show one; it counts as waiting all the same.
  const kinds = await Promise.all(
    entries.map(({ payload }) => loadMutationKind(payload).catch(() => undefined)),
  )
  // At once: what the person makes of a shown one has to come behind it, whatever the clock says.
  for (const [at, { payload, key }] of entries.entries()) kinds[at]?.show?.(payload, key)
  mutationLog.resume(entries, unstoredKeys)
}
