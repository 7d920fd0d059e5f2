import { setTimeout as pause } from 'node:timers/promises'
import type { Event, Storage, WriteTx } from '#core/tx.ts'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server that commits a change first, and then tells of it: the experiments must find it out. */
const config = configFrom(process.env)
const { storage, secret } = await openStore(config)
const late: Storage = {
  ...storage,
  async write(actor, work) {
    let events: Event[] = []
    const value = await storage.write(actor, async (tx) => {
      const done = await work(tx)
      events = listOf(tx).splice(0)
      return done
    })
    if (events.length > 0) {
      await pause(20)
      await storage.write(actor, async (tx) => void listOf(tx).push(...events))
    }
    return value
  },
}
const { server } = await app(late, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })

/** What a transaction tells is for others to read only. */
const listOf = ({ events }: WriteTx): Event[] => events as Event[]
