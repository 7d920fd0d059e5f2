import type { Storage } from '#core/tx.ts'
import { startDispatcher } from '#delivery/dispatcher.ts'
import { figures } from '#delivery/figures.ts'
import type { Sender } from '#delivery/send.ts'
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
  let sender: Promise<Sender> | undefined

  /** The HTTP client takes memory that an installation without webhooks does without. */
  async function open(): Promise<Sender> {
    const { sender } = await import('#delivery/send.ts')
    return sender({ targets: settings.webhookTargets, timeoutMs: timeoutSeconds * 1000 })
  }

  const dispatcher = await startDispatcher({
    ...{ storage, rules, log, load },
    async send(post) {
      sender ??= open()
      return (await sender).send(post)
    },
    unseal: sealer(secret).open,
    observer: figures(registry, storage),
  })
  return {
    async stop() {
      await dispatcher.stop()
      await (await sender)?.close()
    },
  }
}
