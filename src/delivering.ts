import type { Storage } from '#core/tx.ts'
import { startDispatcher, type Timing } from '#delivery/dispatcher.ts'
import { figures } from '#delivery/figures.ts'
import { openGate } from '#delivery/gate.ts'
import { homeOf } from '#delivery/home.ts'
import type { Post, Sender } from '#delivery/send.ts'
import { traced } from '#delivery/traced.ts'
import type { House } from '#http/house.ts'
import { sealer } from '#storage/seal.ts'
import type { Config } from './config.ts'

/** Sends events to webhooks beside the server of the house, where its data is at home. */
export async function startDelivering(
  storage: Storage,
  { dataDir, webhooks, settings }: Config,
  secret: string,
  { log, load, registry, traces }: House,
  timing?: Timing,
): Promise<{ stop(): Promise<void> }> {
  const { timeoutSeconds, ...rules } = webhooks
  let sender: Promise<Sender> | undefined

  /** The HTTP client takes memory that an installation without webhooks does without. */
  async function open(): Promise<Sender> {
    const { sender } = await import('#delivery/send.ts')
    const posting = sender({ targets: settings.webhookTargets, timeoutMs: timeoutSeconds * 1000 })
    return traces ? traced(posting, traces) : posting
  }

  const means = {
    ...{ storage, rules, log, load },
    async send(post: Post) {
      sender ??= open()
      return (await sender).send(post)
    },
    unseal: sealer(secret).open,
    observer: figures(registry, storage),
  }
  const home = homeOf(storage, dataDir)
  const gate = await openGate({ home, start: () => startDispatcher(means, timing), registry, log })
  return {
    async stop() {
      await gate.stop()
      await (await sender)?.close()
    },
  }
}
