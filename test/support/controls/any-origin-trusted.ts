import { registerHooks } from 'node:module'

/** Control, preloaded by NODE_OPTIONS: a server that trusts any Origin must fail the CSRF tests. */
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/src/http/request/same-origin.ts')) return next(url, context)
    const source = 'export const assertSameOrigin = () => {}'
    return { format: 'module', source, shortCircuit: true }
  },
})
