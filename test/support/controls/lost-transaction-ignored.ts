import { registerHooks } from 'node:module'

/** Control: a server that overlooks a lost transaction must fail the disk-full experiment. */
registerHooks({
  resolve(specifier, context, next) {
    const ours =
      specifier === 'node:sqlite' && context.parentURL?.endsWith('/src/db/sqlite/open-sqlite.ts')
    return ours
      ? next('./lost-transaction-sqlite.ts', { ...context, parentURL: import.meta.url })
      : next(specifier, context)
  },
})
await import('../server-variants/small-disk.ts')
