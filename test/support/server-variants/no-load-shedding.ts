import { registerHooks } from 'node:module'

/** Preloaded: the server sheds no load, however much it lags. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/overload.ts')
      ? next('./overload-stub.ts', { ...context, parentURL: import.meta.url })
      : next(specifier, context),
})
