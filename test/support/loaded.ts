import { registerHooks } from 'node:module'

/**
 * A server that tells, when it is sent SIGUSR2, how many modules of OpenTelemetry it has loaded, beside its
 * interface, which prom-client needs.
 */
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) loaded += 1
    return next(url, context)
  },
})
process.on('SIGUSR2', () => console.error(`loaded: ${loaded}`))
await import('../../src/main.ts')
