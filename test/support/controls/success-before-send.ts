import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { startDispatcher } from '#webhooks/dispatch/dispatcher.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { createDeliveryMetrics } from '#webhooks/results/metrics.ts'
import { createWebhookSender, type WebhookRequest } from '#webhooks/sending/sender.ts'

/** Control: a server that records deliveries as successful before it sends them must be caught. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const log = openLog('silent')
const { server, appContext } = await createApp(storage, config, secret, log)
const real = createWebhookSender({ targets: config.settings.webhookTargets, timeoutMs: 10_000 })

async function send(post: WebhookRequest) {
  // Spread, so that some wait whenever the server is killed.
  setTimeout(() => real.send(post), Math.random() * 2_000)
  return { status: 204, body: '', error: null, duration_ms: 1, retry_after: null }
}

await startDispatcher({
  storage,
  rules: config.webhooks,
  log,
  load: appContext.load,
  send,
  decrypt: createEncryptor(secret).decrypt,
  observer: createDeliveryMetrics(appContext.registry, () => loadBacklog(storage)),
})
await server.listen({ host: config.host, port: config.port })
