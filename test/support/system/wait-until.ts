import { setTimeout as pause } from 'node:timers/promises'

/** Far longer than anything takes on a busy machine. */
const DEFAULT_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 10
/** Of the real clock, also while a test has stopped that of `performance`. */
const readTime = performance.now.bind(performance)

/** Polls until `isSo` returns something truthy, or a promise of it; after the timeout it fails with an error that names `what`. */
export async function waitUntil(
  what: string | (() => string),
  isSo: () => unknown,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<void> {
  for (const end = readTime() + timeoutMs; !(await isSo()); await pause(POLL_INTERVAL_MS)) {
    if (readTime() < end) continue
    throw new Error(`Not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`)
  }
}
