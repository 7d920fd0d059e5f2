import { registerHooks } from 'node:module'

/** Preloaded into a server by NODE_OPTIONS: after SIGUSR2 every fsync of a commit fails. */
registerHooks({
  resolve(specifier, context, next) {
    const ours =
      specifier === 'node:sqlite' && context.parentURL?.endsWith('/src/db/sqlite/open-sqlite.ts')
    if (!ours) return next(specifier, context)
    return next('./failing-flush-sqlite.ts', { ...context, parentURL: import.meta.url })
  },
})
