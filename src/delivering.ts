import type { Storage } from '#core/tx.ts'
import { startDispatcher } from '#delivery/dispatcher.ts'
import { figures } from '#delivery/figures.ts'
import { sender } from '#delivery/send.ts'
import type { House } from '#http/house.ts'
import { sealer } from '#storage/seal.ts'
import type { Config } from './config.ts'

/** Starts sending events to webhooks, beside the server of the house. */
export async function startDelivering(
  storage: Storage,
  { webhooks, settings }: Config,
  secret: string,
  { log, load, registry }: House,
): Promise<{ stop(): Promise<void> }> {
  const { timeoutSeconds, ...rules } = webhooks
  const post = sender({ targets: settings.webhookTargets, timeoutMs: timeoutSeconds * 1000 })
  const dispatcher = await startDispatcher({
    ...{ storage, rules, log },
    send: post.send,
    unseal: sealer(secret).open,
    observer: figures(registry, storage),
    requests: () => load.requests,
  })
  return {
    async stop() {
      await dispatcher.stop()
      await post.close()
    },
  }
}
