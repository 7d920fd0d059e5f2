import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'

const COMMIT_DELAY_MS = 20

/** Control: a server that answers a write before it commits must fail the experiments. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const early: Storage = {
  ...storage,
  write: (actor, work) =>
    new Promise((resolve, reject) => {
      const done = storage.write(actor, async (tx) => {
        const value = await work(tx)
        resolve(value)
        // Replies leave at the end of a turn, and the commit would be of the same turn.
        await pause(COMMIT_DELAY_MS)
        return value
      })
      done.catch(reject)
    }),
}
const { server } = await createApp(early, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
