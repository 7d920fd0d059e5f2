import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { parseConfig } from '../../../src/config/config.ts'
import { createApp } from '../../../src/server/app.ts'

/** Control: a server that returns tokens before it stores them must fail the refresh experiment. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const early: Storage = {
  ...storage,
  write: (actor, work) =>
    new Promise((resolve, reject) => {
      const done = storage.write(actor, async (tx) => {
        const value = await work(tx)
        resolve(value)
        await pause(20)
        return value
      })
      done.catch(reject)
    }),
}
const { server } = await createApp(early, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
