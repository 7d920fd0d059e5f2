import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#core/tx.ts'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server that gives tokens a moment before they are kept: the experiment on refreshes must find it out. */
const config = configFrom(process.env)
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
const { server } = await app(early, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
