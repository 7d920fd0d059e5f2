/**
 * Runs in a page or a worker: timers of these lengths (ms) that are set afterwards never end, so that it
 * waits for an answer however slow the machine is.
 */
export function dropTimers(lengths: readonly number[]): void {
  const { setTimeout } = globalThis
  const setOtherTimeout = (run: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) =>
    lengths.includes(ms) ? 0 : setTimeout(run, ms, ...rest)
  Object.assign(globalThis, { setTimeout: setOtherTimeout })
}
