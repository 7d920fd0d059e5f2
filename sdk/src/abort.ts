/** What runs when a signal is aborted. */
const CALLBACKS = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs a function when a signal is aborted, at once if it is already; returns how to prevent that. A signal has one
 * listener for all calls that share it: Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    run()
    return () => {}
  }
  const callbacks = CALLBACKS.get(signal) ?? listen(signal)
  // Two calls may pass the same function.
  const callback = () => run()
  callbacks.add(callback)
  return () => callbacks.delete(callback)
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>()
  CALLBACKS.set(signal, callbacks)
  signal.addEventListener(
    'abort',
    () => {
      for (const callback of callbacks) callback()
      callbacks.clear()
    },
    { once: true },
  )
  return callbacks
}
