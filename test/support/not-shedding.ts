import { registerHooks } from 'node:module'

/** Preloaded: a server that refuses nothing, however late it runs. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/overload.ts')
      ? next('./no-overload.ts', { ...context, parentURL: import.meta.url })
      : next(specifier, context),
})
