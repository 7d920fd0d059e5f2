import type { Config } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { createEncryptor } from '#db/installation/encryption.ts'
import type { AppContext } from '#http/app-context.ts'
import { type DispatcherTiming, startDispatcher } from '#webhooks/dispatch/dispatcher.ts'
import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'
import { startSendingSwitch } from '#webhooks/dispatch/sending-switch.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { createDeliveryMetrics } from '#webhooks/results/metrics.ts'
import type { WebhookRequest, WebhookSender } from '#webhooks/sending/sender.ts'
import { traceSender } from '#webhooks/sending/traced-sender.ts'

/** Starts sending webhooks, unless the database was copied from another installation. */
export async function startWebhookDelivery(
  storage: Storage,
  { dataDir, webhooks, settings }: Config,
  secret: string,
  { log, load, registry, traces }: AppContext,
  timing?: DispatcherTiming,
): Promise<{ stop(): Promise<void> }> {
  const { timeoutSeconds, ...rules } = webhooks
  let sender: Promise<WebhookSender> | undefined

  /** Loads the HTTP client on first use: without webhooks it would only take memory. */
  async function open(): Promise<WebhookSender> {
    const { createWebhookSender } = await import('#webhooks/sending/sender.ts')
    const webhookSender = createWebhookSender({
      targets: settings.webhookTargets,
      timeoutMs: timeoutSeconds * 1000,
    })
    return traces ? traceSender(webhookSender, traces) : webhookSender
  }

  const deps = {
    storage,
    rules,
    log,
    load,
    async send(post: WebhookRequest) {
      sender ??= open()
      return (await sender).send(post)
    },
    decrypt: createEncryptor(secret).decrypt,
    observer: createDeliveryMetrics(registry, () => loadBacklog(storage)),
  }
  const sendingSwitch = await startSendingSwitch({
    installation: openInstallationId(storage, dataDir),
    start: () => startDispatcher(deps, timing),
    registry,
    log,
  })
  return {
    async stop() {
      await sendingSwitch.stop()
      await (await sender)?.close()
    },
  }
}
