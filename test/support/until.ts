import { setTimeout as pause } from 'node:timers/promises'

/** Far more than anything takes on a machine that is busy with other work. */
const PATIENCE_MS = 60_000
const LOOK_MS = 10

/** Waits until something is so; fails with `what` if it never is. */
export async function until(
  what: string | (() => string),
  isSo: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const end = performance.now() + patienceMs; !(await isSo()); await pause(LOOK_MS)) {
    if (performance.now() < end) continue
    throw new Error(`Not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`)
  }
}
