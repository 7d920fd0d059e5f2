import { registerHooks } from 'node:module'

/** Loaded into a server by NODE_OPTIONS: it believes every page to be its own. */
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/src/http/origin.ts')) return next(url, context)
    const source = 'export const refuseForeign = () => {}'
    return { format: 'module', source, shortCircuit: true }
  },
})
