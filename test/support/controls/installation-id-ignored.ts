import { registerHooks } from 'node:module'

const CHECK = 'const state = await inspect()'

/** Control: a server that sends webhooks from a copied database must fail the tests of restores. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/src/webhooks/dispatch/installation-id.ts')) return loaded
    const source = String(loaded.source)
    if (!source.includes(CHECK)) throw new Error(`${url} has no ${CHECK}`)
    return { ...loaded, source: source.replace(CHECK, 'return undefined') }
  },
})
await import('../../../src/main.ts')
