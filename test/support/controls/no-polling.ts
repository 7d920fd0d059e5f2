import { registerHooks } from 'node:module'

const TICK = 'const TICK_MS = 1_000'

/** Control: a server that never polls for deliveries and waits for a commit or NOTIFY. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/src/webhooks/dispatch/dispatcher.ts')) return loaded
    const source = String(loaded.source)
    if (!source.includes(TICK)) throw new Error(`${url} has no ${TICK}`)
    return { ...loaded, source: source.replace(TICK, 'const TICK_MS = 1_000_000_000') }
  },
})
await import('../../../src/main.ts')
