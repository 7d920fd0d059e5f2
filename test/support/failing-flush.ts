import { registerHooks } from 'node:module'

/** Loaded into a server by NODE_OPTIONS: from a signal on, its disk refuses to flush. */
registerHooks({
  resolve(specifier, context, next) {
    const ours =
      specifier === 'node:sqlite' && context.parentURL?.endsWith('/src/storage/sqlite.ts')
    if (!ours) return next(specifier, context)
    return next('./failing-sqlite.ts', { ...context, parentURL: import.meta.url })
  },
})
