import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import type { PendingEvent, Storage, WriteTx } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'

/** Control: a server that writes events after committing the change must fail the experiments. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const late: Storage = {
  ...storage,
  async write(actor, work) {
    let events: PendingEvent[] = []
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
const { server } = await createApp(late, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })

/** A transaction exposes its events as read-only. The keys of notifications are written before this line is reached. */
function listOf({ events }: WriteTx): PendingEvent[] {
  return events as PendingEvent[]
}
