import { startDispatcher } from '#delivery/dispatcher.ts'
import { figures } from '#delivery/figures.ts'
import { type Post, sender } from '#delivery/send.ts'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { sealer } from '#storage/seal.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server that notes deliveries as done, and sends them then: the experiments must find it out. */
const config = configFrom(process.env)
const { storage, secret } = await openStore(config)
const log = openLog('silent')
const { server, house } = await app(storage, config, secret, log)
const real = sender({ targets: config.settings.webhookTargets, timeoutMs: 10_000 })

async function send(post: Post) {
  setTimeout(() => real.send(post), 200)
  return { status: 204, body: '', error: null, duration_ms: 1, retry_after: null }
}

await startDispatcher({
  ...{ storage, rules: config.webhooks, log, load: house.load, send },
  unseal: sealer(secret).open,
  observer: figures(house.registry, storage),
})
await server.listen({ host: config.host, port: config.port })
