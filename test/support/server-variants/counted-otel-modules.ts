import { registerHooks } from 'node:module'

/**
 * A server that on SIGUSR2 prints how many OpenTelemetry modules it has loaded. The API package is
 * not counted, because prom-client imports it.
 */
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) loaded += 1
    return next(url, context)
  },
})
process.on('SIGUSR2', () => console.error(`loaded: ${loaded}`))
await import('../../../src/main.ts')
