/**
 * Ctrl-C signals every process in the foreground of a terminal, and npm passes its own copy on to the
 * process that it has started: such repeats are no second request.
 */
const REPEAT_WINDOW_MS = 2_000

/**
 * Calls `stop` at the first SIGTERM or SIGINT, and `stopNow` at each one that follows more than two
 * seconds later.
 */
export function onStopSignal(
  stop: (signal: NodeJS.Signals) => void,
  stopNow: () => void,
  { source = process, now = () => performance.now() }: SignalSource = {},
): void {
  let firstAt: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    source.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = now()
        stop(signal)
      } else if (now() - firstAt > REPEAT_WINDOW_MS) stopNow()
    })
  }
}

/** Where signals and the time come from: the process and its clock, except in tests. */
interface SignalSource {
  source?: { on(signal: NodeJS.Signals, listener: () => void): unknown }
  now?: () => number
}
