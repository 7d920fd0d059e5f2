import { registerHooks } from 'node:module'

/** Constants of a module, and what replaces them. */
const REPLACEMENTS: Record<string, [constant: string, replacement: string]> = {
  '/src/webhooks/dispatch/dispatcher.ts': [
    'const TICK_MS = 1_000',
    'const TICK_MS = 1_000_000_000',
  ],
  '/src/core/changes/replay-buffer.ts': [
    'const ARRIVAL_TIMEOUT_MS = 400',
    'const ARRIVAL_TIMEOUT_MS = 5_000',
  ],
}

/**
 * A server that never polls for deliveries and waits for a commit or NOTIFY. A change of another
 * server may also be late by seconds, as on a busy machine, before it counts as missed.
 */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const [constant, replacement] =
      Object.entries(REPLACEMENTS).find(([path]) => url.endsWith(path))?.[1] ?? []
    if (constant === undefined || replacement === undefined) return loaded
    const source = String(loaded.source)
    if (!source.includes(constant)) throw new Error(`${url} has no ${constant}`)
    return { ...loaded, source: source.replace(constant, replacement) }
  },
})
await import('../../../src/main.ts')
