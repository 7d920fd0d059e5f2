import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { startDispatcher } from '#webhooks/dispatch/dispatcher.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { createDeliveryMetrics } from '#webhooks/results/metrics.ts'
import { createWebhookSender } from '#webhooks/sending/sender.ts'

/** Control: a server that sends webhooks from a copied database must fail the tests of restores. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const log = openLog('silent')
const { server, appContext } = await createApp(storage, config, secret, log)
const { send } = createWebhookSender({ targets: config.settings.webhookTargets, timeoutMs: 10_000 })
// The dispatcher alone, without the switch that compares the installation's id.
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
