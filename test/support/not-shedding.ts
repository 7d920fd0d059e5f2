import { registerHooks } from 'node:module'

/** Preloaded: a server that refuses nothing, however late it runs. */
registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/src/http/overload.ts')) return next(url, context)
    return {
      format: 'module',
      shortCircuit: true,
      source: `export const SHED = undefined
        export const isExempt = () => true
        export const overload = () => ({ share: 1, late: () => undefined })`,
    }
  },
})
