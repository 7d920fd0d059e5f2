import { registerHooks } from 'node:module'

/** A server that does not see that it lost a transaction: the experiment with full disks must find it out. */
registerHooks({
  resolve(specifier, context, next) {
    const ours =
      specifier === 'node:sqlite' && context.parentURL?.endsWith('/src/storage/sqlite.ts')
    return ours
      ? next('./trusting-sqlite.ts', { ...context, parentURL: import.meta.url })
      : next(specifier, context)
  },
})
await import('./small-disk.ts')
