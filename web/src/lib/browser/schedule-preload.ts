import { atom, useAtom } from '../state/atom.ts'
import { runWhenIdle } from './run-when-idle.ts'

/** Loads that wait for their turn; they run one after the other. */
const pendingLoads: (() => Promise<unknown>)[] = []
let hasStarted = false
const mayLoadMore = atom(false)
const loaded = Promise.withResolvers<void>()

/** Resolves once the first screen has what it needs; everything else is requested after that. */
export const firstScreenLoaded = loaded.promise
export const markLoaded = (): void => loaded.resolve()

/** Preloading starts after this time at the latest, because not every screen calls the function. */
const MAX_START_DELAY_MS = 3_000
const MAX_IDLE_WAIT_MS = 2_000
setTimeout(markInteractive, MAX_START_DELAY_MS)

/**
 * Preloads code that may be needed later, once the screen is interactive and the browser is idle.
 * Earlier it would compete with the first screen for the network and the processor. A failure is
 * ignored here and shows when the code is needed.
 */
export function schedulePreload(...loads: (() => Promise<unknown>)[]): void {
  const isIdle = hasStarted && pendingLoads.length === 0
  pendingLoads.push(...loads)
  if (isIdle) runWhenIdle(loadNext, MAX_IDLE_WAIT_MS)
}

/** Called by a screen once its data is shown; preloading starts now. */
export function markInteractive(): void {
  if (hasStarted) return
  hasStarted = true
  markLoaded()
  runWhenIdle(() => {
    mayLoadMore.set(true)
    void loadNext()
  }, MAX_IDLE_WAIT_MS)
}

/**
 * Whether the first screen is interactive and the browser has been idle since: what loads more code
 * renders only then.
 */
export const useMayLoadMore = (): boolean => useAtom(mayLoadMore)

async function loadNext(): Promise<void> {
  const load = pendingLoads[0]
  if (!load) return
  await load().catch(() => undefined)
  pendingLoads.shift()
  if (pendingLoads.length > 0) runWhenIdle(loadNext, MAX_IDLE_WAIT_MS)
}
