import { Registry } from 'prom-client'
import type { Config } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import type { AppContext } from '#http/app-context.ts'
import { loadPackages } from '#http/packages/package-files.ts'
import { createPendingRunner } from '#http/pipeline/run-pending.ts'
import type { Logger } from '#http/server/log.ts'
import { createHealthServer, createHttpServer } from '#http/server/server.ts'
import { loadWebAppBuild } from '#http/web-app/web-app-build.ts'
import { serveMcp } from '#mcp/serve-mcp.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import type { DeliveryOptions } from './jobs.ts'
import type { ProcessRole } from './process-role.ts'
import { routes, sessionActions } from './routes.ts'
import { openServices, type ServiceOptions } from './services.ts'

interface AppOptions extends ServiceOptions {
  /** Whether to shed load. Tests turn it off, because they share a machine with other work. */
  sheds?: boolean
}

/** What tests replace of a server in a process of its own. */
export interface ServerOptions extends AppOptions, DeliveryOptions {
  /** For how long a start waits for a PostgreSQL that cannot be reached. */
  databaseWaitSeconds?: number
}

/** Creates the server with all its services. `secret` is the secret of the installation. */
export async function createApp(
  storage: Storage,
  config: Config,
  secret: string,
  log: Logger,
  { servesRequests }: Pick<ProcessRole, 'servesRequests'> = { servesRequests: true },
  { sheds = true, ...options }: AppOptions = {},
) {
  const registry = new Registry()
  const services = await openServices(storage, config, secret, log, registry, options)
  const { rateLimits, usage, mail, vapidKeys } = services
  const { baseUrl, loopback: loopbackOnly, trustProxy } = config
  const appContext: AppContext = {
    ...services.context,
    actionDeps: { ...services.context.actionDeps, ...createPendingRunner(baseUrl, routes) },
    baseUrl,
    network: { loopbackOnly, trustProxy, logAddresses: config.log.hasAddresses },
    pages: { webApp: loadWebAppBuild(), packages: loadPackages(), eventSchemas: EVENT_SCHEMAS },
    metrics: { registry, render: () => registry.metrics(), token: config.log.metricsToken },
    load: { requests: 0, isShed: sheds },
    lifecycle: { isStarting: false, isDraining: false },
    log,
  }
  const server = servesRequests
    ? createHttpServer(appContext, routes, sessionActions, [serveMcp])
    : createHealthServer(appContext)
  server.addHook('onReady', async () => {
    await rateLimits.ready()
  })
  server.addHook('onClose', rateLimits.close)
  return { server, appContext, usage, mail, vapidKeys }
}
