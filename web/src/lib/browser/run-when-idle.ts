/** Safari has no idle callbacks: then after this time. */
const FALLBACK_DELAY_MS = 50

/** Runs something when the browser has nothing to draw, or after a time limit (ms). */
export function runWhenIdle(work: () => void, limitMs: number): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: limitMs })
  else setTimeout(work, FALLBACK_DELAY_MS)
}
