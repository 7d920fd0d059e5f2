import { isClusterWorker } from './cluster.ts'

/**
 * Resolves with the first SIGTERM or SIGINT; a second one ends the process at once. A start calls this
 * first: process 1 of a container ignores signals without a handler, and others die of them.
 */
export function receiveStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    // A terminal signals all processes, and the supervisor then signals its workers again.
    if (isStopping && !isClusterWorker()) process.exit(1)
    isStopping = true
    resolve(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
  return promise
}
